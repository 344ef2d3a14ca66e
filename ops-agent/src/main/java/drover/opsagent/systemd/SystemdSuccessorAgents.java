package drover.opsagent.systemd;

import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.selfupgrade.AgentVersionNumber;
import drover.opsagent.selfupgrade.SuccessorAgents;
import drover.opsagent.time.Deadline;

/**
 * Successors as instances of the template unit {@code ops-agent@<version>}: systemd starts one
 * again that falls, and leaves one in peace that ended with 0.
 *
 * @param self number of this process, which is never stopped
 */
public record SystemdSuccessorAgents(SystemdUnits units, long self) implements SuccessorAgents {
    /** The instance that the machine starts: what the link names, so it may be of any version. */
    private static final UnitName WITH_THE_MACHINE = new UnitName("ops-agent@current.service");

    private static UnitName unit(AgentVersionNumber version) {
        return new UnitName("ops-agent@" + version + ".service");
    }

    @Override
    public void startUnlessRunning(AgentVersionNumber version, Deadline deadline) {
        if (isAlive(version)) {
            return;
        }
        try {
            units.resetFailed(unit(version));
            units.start(unit(version), deadline);
        } catch (SystemdUnits.SystemdCallFailed e) {
            throw startFailure(version, String.valueOf(e.getMessage()));
        }
        UnitProperties view = units.readProperties(unit(version));
        if (!view.isLoaded()) {
            throw startFailure(version, "there is no unit of that name");
        }
    }

    private static ActionFailed startFailure(AgentVersionNumber version, String why) {
        return new ActionFailed(
                ReasonCode.SUCCESSOR_FAILED,
                "The agent's version "
                        + version
                        + " could not be started as "
                        + unit(version)
                        + " ("
                        + why
                        + "): look at the unit.");
    }

    /** One that fell and that systemd is about to start again does not run. */
    @Override
    public boolean isAlive(AgentVersionNumber version) {
        try {
            return units.readProperties(unit(version)).isUp();
        } catch (SystemdUnits.SystemdCallFailed e) {
            return false; // not known to be alive: nobody leaves the node to it
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>So does the one that was started with the machine, also when it was killed and systemd is
     * about to start it again.
     */
    @Override
    public void stopUnlessSelf(AgentVersionNumber version, Deadline deadline) {
        stopUnitUnlessSelf(unit(version), deadline);
        stopUnitUnlessSelf(WITH_THE_MACHINE, deadline);
    }

    private void stopUnitUnlessSelf(UnitName unit, Deadline deadline) {
        try {
            UnitProperties view = units.readProperties(unit);
            if (view.mainPid() == self || !view.isLoaded()) {
                return;
            }
            if (view.isUpOrStarting() || !view.isDown()) {
                units.stop(unit, deadline);
            }
            requireStopped(unit);
            units.resetFailed(unit); // one that fell while it was stopped would be shown for ever
        } catch (SystemdUnits.SystemdCallFailed e) {
            throw new ActionFailed(ReasonCode.STOP_FAILED, e.getMessage() + ": stop " + unit + ".");
        }
    }

    private void requireStopped(UnitName unit) {
        UnitProperties view = units.readProperties(unit);
        if (view.isUpOrStarting() || !view.isDown()) {
            throw new ActionFailed(
                    ReasonCode.STOP_FAILED,
                    unit + " does not end, it is " + view.summary() + ": stop it by hand.");
        }
    }
}
