package drover.opsagent.docker;

import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.engine.DockerEngine;
import drover.opsagent.docker.engine.EngineHttpClient;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.RuntimeProvider;

/** Offers the runtime {@code docker}. */
public final class DockerRuntimeProvider implements RuntimeProvider {
    @Override
    public String name() {
        return "docker";
    }

    @Override
    public NodeRuntime open(RuntimeContext ports) {
        DockerAccessSettings settings = DockerAccessSettings.of(ports.settings());
        ContainerEngine engine =
                new DockerEngine(new EngineHttpClient(settings.socket()), settings.logins());
        return new DockerRuntime(name(), ports, engine, settings);
    }
}
