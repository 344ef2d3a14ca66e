package drover.bench.baseline;

import drover.bench.deployment.ServiceProcess;
import drover.bench.deployment.StartedResources;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.event.Level;

/** Bare clients as a process of their own. */
public final class BareClientsLauncher {
    private static final int HEAP = 1024; // MiB for all of them

    private BareClientsLauncher() {}

    /**
     * All dial at once.
     *
     * @param server where
     * @param reports whether they say with each status when its command came
     * @param tls what they show; empty: they dial in the clear
     */
    public static ServiceProcess start(
            Path logs,
            StartedResources running,
            String server,
            StreamWorkload shape,
            boolean reports,
            Optional<Path> tls) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--server",
                                server,
                                "--agents",
                                Integer.toString(shape.agents()),
                                "--per-connection",
                                Integer.toString(shape.perConnection()),
                                "--statuses",
                                Integer.toString(shape.statuses()),
                                "--status-bytes",
                                Integer.toString(shape.statusBytes()),
                                "--tells-receipt",
                                Boolean.toString(reports)));
        tls.ifPresent(directory -> arguments.addAll(List.of("--tls", directory.toString())));
        return running.start(
                () ->
                        ServiceProcess.start(
                                logs,
                                StreamClientsMain.class,
                                Level.WARN,
                                HEAP,
                                Map.of(),
                                arguments));
    }
}
