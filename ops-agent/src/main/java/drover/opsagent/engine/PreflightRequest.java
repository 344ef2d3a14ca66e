package drover.opsagent.engine;

/**
 * A preflight as it was read at the door.
 *
 * @param preflightId names this asking; the report repeats it
 * @param command the upgrade that is looked at, under attempt 0
 */
public record PreflightRequest(String preflightId, CommandWithContents command) {}
