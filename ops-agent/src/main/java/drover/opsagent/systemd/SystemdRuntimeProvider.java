package drover.opsagent.systemd;

import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.RuntimeProvider;

/** Offers the runtime {@code systemd}. */
public final class SystemdRuntimeProvider implements RuntimeProvider {
    @Override
    public String name() {
        return SystemdRuntime.SYSTEMD;
    }

    @Override
    public NodeRuntime open(RuntimeContext ports) {
        return new SystemdRuntime(ports, new SystemctlUnits(ports.ticker()));
    }
}
