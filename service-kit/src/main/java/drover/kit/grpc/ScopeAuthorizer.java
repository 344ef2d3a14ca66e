package drover.kit.grpc;

import drover.kit.access.AccessRequirement;
import drover.kit.access.AccessTable;
import drover.kit.access.Principal;
import drover.model.RefusalCode;

/**
 * Lets a call in or refuses it: the one check of gRPC and REST alike. What has no row in the table
 * is refused to everybody (invariant H5).
 */
public final class ScopeAuthorizer {
    private final AccessTable table;
    private final Authenticator who;

    /** A gate for the methods of this table. */
    public ScopeAuthorizer(AccessTable table, Authenticator who) {
        this.table = table;
        this.who = who;
    }

    /** What every method asks for. */
    public AccessTable table() {
        return table;
    }

    /**
     * Whoever calls, when it may.
     *
     * @param method full name, {@code package.Service/Method}
     * @param authorization the header; empty when there is none
     * @throws Refused when nobody is proven, or the scope is missing
     */
    public Principal authorize(String method, String authorization) {
        return switch (table.rows().get(method)) {
            case AccessRequirement.Public() -> Principal.ANONYMOUS;
            case AccessRequirement.RequiresScope needs ->
                    requireScope(who.authenticate(authorization), needs);
            case null ->
                    throw new Refused(
                            RefusalCode.SCOPE_MISSING, "Nobody may call " + method + " here.");
        };
    }

    private static Principal requireScope(
            Principal principal, AccessRequirement.RequiresScope needs) {
        if (needs.oneOf().stream().noneMatch(principal::hasScope)) {
            throw new Refused(
                    RefusalCode.SCOPE_MISSING,
                    principal.actor()
                            + " lacks the scope "
                            + needs.displayName()
                            + ", which this call needs; use another key.");
        }
        return principal;
    }
}
