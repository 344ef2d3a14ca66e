package drover.opsagent.systemd;

import drover.opsagent.own.Successors;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.script.AgentVersion;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.time.Deadline;

/**
 * Successors as instances of the template unit {@code ops-agent@<version>}: systemd starts one
 * again that falls, and leaves one in peace that ended with 0.
 *
 * @param self number of this process, which is never stopped
 */
public record SystemdSuccessors(Units units, long self) implements Successors {
    private static UnitName unit(AgentVersion version) {
        return new UnitName("ops-agent@" + version + ".service");
    }

    @Override
    public void start(AgentVersion version, Deadline deadline) {
        if (isAlive(version)) {
            return;
        }
        try {
            units.resetFailed(unit(version));
            units.start(unit(version), deadline);
        } catch (Units.UnitsUnavailable e) {
            throw failed(version, String.valueOf(e.getMessage()));
        }
        UnitView view = units.show(unit(version));
        if (!view.isLoaded()) {
            throw failed(version, "there is no unit of that name");
        }
    }

    private static ActionFailed failed(AgentVersion version, String why) {
        return new ActionFailed(
                ReasonCode.SUCCESSOR_FAILED,
                "The agent's version "
                        + version
                        + " could not be started as "
                        + unit(version)
                        + " ("
                        + why
                        + "): look at the unit, then retry.");
    }

    @Override
    public boolean isAlive(AgentVersion version) {
        try {
            return units.show(unit(version)).isComing();
        } catch (Units.UnitsUnavailable e) {
            return false; // not known to be alive: nobody leaves the node to it
        }
    }

    @Override
    public void stop(AgentVersion version, Deadline deadline) {
        try {
            UnitView view = units.show(unit(version));
            if (view.mainPid() == self || (view.isDown() && !view.isComing())) {
                return;
            }
            units.stop(unit(version), deadline);
        } catch (Units.UnitsUnavailable e) {
            throw new ActionFailed(
                    ReasonCode.STOP_FAILED, e.getMessage() + ": stop " + unit(version) + ".");
        }
    }
}
