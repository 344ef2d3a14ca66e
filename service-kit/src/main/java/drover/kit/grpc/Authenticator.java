package drover.kit.grpc;

import drover.kit.access.Principal;

/** Finds out who calls. */
public interface Authenticator {
    /**
     * The principal behind a header.
     *
     * @param authorization the value of the header {@code authorization}; empty when there is none
     * @throws Refused when it proves nobody
     */
    Principal authenticate(String authorization);

    /** Asks for nothing; only for doors that this machine alone can reach. */
    static Authenticator withoutAuthentication() {
        return _ -> Principal.LOCAL;
    }
}
