package drover.opsagent.trust;

import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.script.Request;

/**
 * Decides whether what came over a gateway is believed to come from a coordinator. What is not
 * believed leaves no trace: no attempt, no floor, no epoch.
 */
public interface CommandGate {
    /** For a node whose owner asks for no signed commands: the gateway is believed. */
    CommandGate OPEN =
            new CommandGate() {
                @Override
                public void command(Request request, byte[] authorization) {}

                @Override
                public void preflight(Request request, byte[] authorization) {}

                @Override
                public void withdrawal(long through, long epoch, byte[] authorization) {}

                @Override
                public void stop(long attempt, String successor, byte[] authorization) {}
            };

    /**
     * Lets work pass, of whatever kind.
     *
     * @param authorization envelope that came along; empty when there was none
     * @throws ActionFailed with the reason when it is not believed
     */
    void command(Request request, byte[] authorization);

    /** The same for a look, by which nothing is remembered. */
    void preflight(Request request, byte[] authorization);

    /** Lets a withdrawal of attempts up to this one pass, or refuses it as {@link #command}. */
    void withdrawal(long through, long epoch, byte[] authorization);

    /**
     * Lets the old agent of a hand-over leave, or refuses it as {@link #command}.
     *
     * @param successor digest that was sent; empty when none was
     */
    void stop(long attempt, String successor, byte[] authorization);
}
