package drover.opsagent.runtime;

/** Offers the runtime {@code process}. */
public final class ProcessProvider implements RuntimeProvider {
    @Override
    public String name() {
        return "process";
    }

    @Override
    public NodeRuntime open(RuntimePorts ports) {
        return new ProcessRuntime(name(), ports);
    }
}
