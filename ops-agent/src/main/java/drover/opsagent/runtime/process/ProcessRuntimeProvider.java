package drover.opsagent.runtime.process;

import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.RuntimeProvider;

/** Offers the runtime {@code process}. */
public final class ProcessRuntimeProvider implements RuntimeProvider {
    @Override
    public String name() {
        return "process";
    }

    @Override
    public NodeRuntime open(RuntimeContext ports) {
        return new ProcessRuntime(name(), ports);
    }
}
