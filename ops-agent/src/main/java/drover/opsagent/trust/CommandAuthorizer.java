package drover.opsagent.trust;

import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.runtime.ActionFailed;

/**
 * Decides whether what came over a gateway is believed to come from a coordinator. What is not
 * believed leaves no trace: no attempt, no floor, no epoch.
 */
public interface CommandAuthorizer {
    /** For a node whose owner asks for no signed commands: the gateway is believed. */
    CommandAuthorizer ALLOW_ALL =
            new CommandAuthorizer() {
                @Override
                public void authorizeCommand(ParsedCommand request, byte[] authorization) {}

                @Override
                public void authorizePreflight(ParsedCommand request, byte[] authorization) {}

                @Override
                public void authorizeWithdrawal(long through, long epoch, byte[] authorization) {}

                @Override
                public void authorizeHandoverStop(
                        long attempt, String successor, byte[] authorization) {}
            };

    /**
     * Lets work pass, of whatever kind.
     *
     * @param authorization envelope that came along; empty when there was none
     * @throws ActionFailed with the reason when it is not believed
     */
    void authorizeCommand(ParsedCommand request, byte[] authorization);

    /** The same for a look, by which nothing is remembered. */
    void authorizePreflight(ParsedCommand request, byte[] authorization);

    /**
     * Lets a withdrawal of attempts up to this one pass, or refuses it as {@link
     * #authorizeCommand}.
     */
    void authorizeWithdrawal(long through, long epoch, byte[] authorization);

    /**
     * Lets the old agent of a hand-over leave, or refuses it as {@link #authorizeCommand}.
     *
     * @param successor digest that was sent; empty when none was
     */
    void authorizeHandoverStop(long attempt, String successor, byte[] authorization);
}
