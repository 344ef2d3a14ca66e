package drover.opsagent.runtime;

/** Offers the runtime {@code simulated}. */
public final class SimulatedProvider implements RuntimeProvider {
    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public NodeRuntime open(RuntimePorts ports) {
        return new ProcessRuntime(name(), ports);
    }
}
