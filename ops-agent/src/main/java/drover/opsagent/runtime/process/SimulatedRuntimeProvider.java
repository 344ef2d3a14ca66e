package drover.opsagent.runtime.process;

import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.RuntimeProvider;

/** Offers the runtime {@code simulated}. */
public final class SimulatedRuntimeProvider implements RuntimeProvider {
    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public NodeRuntime open(RuntimeContext ports) {
        return new ProcessRuntime(name(), ports);
    }
}
