package drover.kit.access;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What every method of a door asks of its caller (invariant H5). A method without a row is open to
 * nobody, and a door that serves one does not open.
 *
 * @param rows by full name of the method, {@code package.Service/Method}
 */
public record AccessTable(Map<String, AccessRequirement> rows) {
    /** Health, and the contracts for clients such as grpcurl: no data, hence open. */
    private static final List<String> OPEN =
            List.of(
                    "grpc.health.v1.Health/Check",
                    "grpc.health.v1.Health/List",
                    "grpc.health.v1.Health/Watch",
                    "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
                    "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo");

    public AccessTable {
        rows = Collections.unmodifiableMap(new LinkedHashMap<>(rows));
    }

    /** Puts a table together. */
    public static final class Builder {
        private final Map<String, AccessRequirement> rows = new LinkedHashMap<>();

        /** With rows for health and reflection. */
        private Builder() {
            OPEN.forEach(method -> rows.put(method, new AccessRequirement.Public()));
        }

        /** Methods of a service that need a scope; a method stands in one row alone. */
        public Builder require(Scope scope, String service, String... methods) {
            return require(new AccessRequirement.RequiresScope(scope), service, methods);
        }

        /** The same where one of several scopes is enough. */
        public Builder require(
                AccessRequirement.RequiresScope rule, String service, String... methods) {
            for (String method : methods) {
                if (rows.put(service + "/" + method, rule) != null) {
                    throw new IllegalArgumentException(method + " has two rows");
                }
            }
            return this;
        }

        /** The table. */
        public AccessTable build() {
            return new AccessTable(rows);
        }
    }

    /** A table that has rows for health and reflection alone. */
    public static Builder builder() {
        return new Builder();
    }

    /** Those of these methods that have no row. */
    public Set<String> methodsWithoutRule(Collection<String> methods) {
        Set<String> lacking = new TreeSet<>(methods);
        lacking.removeAll(rows.keySet());
        return lacking;
    }
}
