package drover.opsagent.engine;

import drover.opsagent.own.Itself;

/**
 * What an agent needs in order to be replaced.
 *
 * @param leave ends this process with 0; comes back at once
 */
public record Replacement(Itself itself, HandOverNotices notices, Runnable leave) {
    /** Of an agent that is part of something else. */
    public static Replacement none() {
        return new Replacement(new Itself.Part(), new HandOverNotices(), () -> {});
    }
}
