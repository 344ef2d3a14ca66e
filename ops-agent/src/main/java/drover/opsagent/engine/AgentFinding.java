package drover.opsagent.engine;

/** Something the agent noticed by itself. */
public record AgentFinding(String code, String program, String detail) {}
