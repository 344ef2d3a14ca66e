package drover.gateway.session;

/**
 * Something an agent noticed by itself. The gateway passes it on and concludes nothing.
 *
 * @param code stable code, for example {@code DRIFT}
 * @param program program concerned; empty when the node as a whole is
 */
public record AgentFinding(String code, String program, String detail) {}
