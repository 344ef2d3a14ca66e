package drover.opsagent.docker;

import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.RuntimePorts;
import drover.opsagent.runtime.RuntimeProvider;

/** Offers the runtime {@code docker}. */
public final class DockerProvider implements RuntimeProvider {
    @Override
    public String name() {
        return "docker";
    }

    @Override
    public NodeRuntime open(RuntimePorts ports) {
        DockerSettings settings = DockerSettings.of(ports.settings());
        Engine engine = new DockerEngine(new EngineHttp(settings.socket()), settings.logins());
        return new DockerRuntime(name(), ports, engine, settings);
    }
}
