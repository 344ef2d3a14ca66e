package drover.opsagent.engine;

/** Something the agent noticed by itself. */
public record Finding(String code, String program, String detail) {}
