package drover.coordinator.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.AnnotationsProto;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import drover.kit.access.AccessRequirement;
import drover.kit.access.Principal;
import drover.kit.access.Scope;
import drover.kit.grpc.Refused;
import drover.kit.grpc.ScopeAuthorizer;
import drover.model.RefusalCode;
import drover.rollout.v1.RolloutServiceGrpc;
import io.grpc.protobuf.ProtoServiceDescriptorSupplier;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The table against every contract there is, and against every kind of caller. */
final class OperatorAccessTableTest {
    private static final Map<String, AccessRequirement> ROWS = OperatorAccessTable.TABLE.rows();

    @Test
    @DisplayName("H5: every operators' method and REST route has a row, and no row lacks a method")
    void theTableIsTheContracts() throws Exception {
        List<ServiceDescriptor> services = contracts();
        Set<String> operators =
                services.stream()
                        .filter(OperatorAccessTableTest::isForOperators)
                        .flatMap(service -> service.getMethods().stream())
                        .map(OperatorAccessTableTest::name)
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(services).as("else nothing is compared").hasSizeGreaterThan(8);
        assertThat(operators).hasSizeGreaterThan(40);
        assertThat(withoutOpenRows()).containsExactlyInAnyOrderElementsOf(operators);
    }

    @Test
    @DisplayName("H5: only health and reflection are open")
    void nothingElseIsOpen() {
        assertThat(
                        ROWS.entrySet().stream()
                                .filter(row -> row.getValue() instanceof AccessRequirement.Public))
                .extracting(Map.Entry::getKey)
                .containsExactlyInAnyOrder(
                        "grpc.health.v1.Health/Check",
                        "grpc.health.v1.Health/List",
                        "grpc.health.v1.Health/Watch",
                        "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
                        "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo");
    }

    @Test
    @DisplayName("H5: each method lets in those with its scope, and nobody else")
    void aScopeOpensItsMethodsAlone() {
        for (String method : withoutOpenRows()) {
            AccessRequirement.RequiresScope needed =
                    (AccessRequirement.RequiresScope) Objects.requireNonNull(ROWS.get(method));
            for (Scope held : Scope.values()) {
                Principal caller = new Principal(Principal.Kind.KEY, "k", Set.of(held));
                ScopeAuthorizer gate = new ScopeAuthorizer(OperatorAccessTable.TABLE, _ -> caller);
                if (needed.oneOf().contains(held)) {
                    assertThatCode(() -> gate.authorize(method, "")).doesNotThrowAnyException();
                } else {
                    assertThatThrownBy(() -> gate.authorize(method, ""))
                            .isInstanceOfSatisfying(
                                    Refused.class,
                                    no ->
                                            assertThat(no.code())
                                                    .isEqualTo(RefusalCode.SCOPE_MISSING))
                            .hasMessageContaining(needed.displayName());
                }
            }
        }
    }

    @Test
    @DisplayName("H5: whoever may only look changes nothing")
    void whatIsNoGetNeedsMoreThanReading() throws Exception {
        List<String> readers =
                contracts().stream()
                        .flatMap(service -> service.getMethods().stream())
                        .filter(OperatorAccessTableTest::isPosted)
                        .map(OperatorAccessTableTest::name)
                        .filter(method -> needs(method, Scope.ROLLOUTS_READ))
                        .toList();
        assertThat(readers)
                .as("posted, because they carry a body; they change nothing")
                .containsExactlyInAnyOrder(
                        "drover.rollout.v1.RolloutService/PlanRollout",
                        "drover.manifest.v1.ManifestService/ValidateManifest");
    }

    private static boolean needs(String method, Scope scope) {
        return new AccessRequirement.RequiresScope(scope).equals(ROWS.get(method));
    }

    private static List<String> withoutOpenRows() {
        return ROWS.entrySet().stream()
                .filter(row -> row.getValue() instanceof AccessRequirement.RequiresScope)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Whatever REST offers is for operators; the doors within the mesh have no such option. */
    private static boolean isForOperators(ServiceDescriptor service) {
        return service.getMethods().stream()
                .anyMatch(method -> method.getOptions().hasExtension(AnnotationsProto.http));
    }

    private static boolean isPosted(MethodDescriptor method) {
        return !method.getOptions().getExtension(AnnotationsProto.http).getPost().isEmpty();
    }

    private static String name(MethodDescriptor method) {
        return method.getService().getFullName() + "/" + method.getName();
    }

    /** Every service that was generated, found where the classes are, so that none is forgotten. */
    private static List<ServiceDescriptor> contracts()
            throws IOException, URISyntaxException, ReflectiveOperationException {
        URI home =
                RolloutServiceGrpc.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI();
        Path place = Path.of(home);
        if (Files.isDirectory(place)) {
            return services(place);
        }
        try (FileSystem jar = FileSystems.newFileSystem(place)) {
            return services(jar.getPath("/"));
        }
    }

    private static List<ServiceDescriptor> services(Path root)
            throws IOException, ReflectiveOperationException {
        List<String> classes;
        try (Stream<Path> files = Files.walk(root)) {
            classes =
                    files.map(file -> root.relativize(file).toString())
                            .filter(file -> file.matches("drover/[a-z]+/v1/[A-Za-z]+Grpc\\.class"))
                            .map(file -> file.replace(".class", "").replace('/', '.'))
                            .toList();
        }
        List<ServiceDescriptor> services = new java.util.ArrayList<>();
        for (String one : classes) {
            io.grpc.ServiceDescriptor received =
                    (io.grpc.ServiceDescriptor)
                            Class.forName(one).getMethod("getServiceDescriptor").invoke(null);
            services.add(
                    ((ProtoServiceDescriptorSupplier)
                                    Objects.requireNonNull(received.getSchemaDescriptor()))
                            .getServiceDescriptor());
        }
        return services;
    }
}
