package drover.opsagent.peers;

import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.LogRequestHandler;
import drover.opsagent.engine.PreflightRequest;
import drover.opsagent.engine.Withdrawal;
import drover.opsagent.preflight.PreflightReport;
import java.util.Optional;
import java.util.Set;

/** The agent behind a session. None of these may block, but {@link #buildReport}. */
public interface SessionHandler {
    /** Everything there is to say now. */
    SelfReport buildReport(long connectionNumber);

    /** What the agent can do; the same for as long as it lives. */
    Set<String> features();

    /** The gateway named the node. */
    void onWelcome(String nodeId);

    /** A command came. */
    void onCommand(CommandWithContents delivery);

    /** Somebody asks whether an upgrade could be done here. */
    void onPreflightRequest(PreflightRequest request);

    /** What a preflight found and was not said yet; afterwards it counts as said. */
    Optional<PreflightReport> takePreflightReport();

    /** The gateway requests the end of a program's output. */
    void onLogRequest(LogRequestHandler.Request request);

    /** The response to such a request, once. */
    Optional<LogRequestHandler.Response> takeLogResponse();

    /** Whether the health of a program changed since the last call. */
    boolean takeHealthChanged();

    /** Attempts up to this one that were never seen shall not begin. */
    void onWithdrawal(Withdrawal requested);

    /**
     * The successor of this attempt was heard: exit with 0, if this agent hands over in it.
     *
     * @param digest of the successor; empty when it is not said
     * @param authorization what the leader signed over it; empty for nothing
     */
    void onStopRequest(long attempt, String digest, byte[] authorization);

    /** The control plane has heard the successor of this attempt. */
    void onSuccessorConnected(long attempt);
}
