package drover.standalone.command;

import drover.standalone.doctor.Doctor;
import drover.standalone.doctor.DoctorFinding;
import drover.standalone.doctor.ServiceCheck;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/** {@code drover doctor}: says what keeps a mesh from running well, and what to do. */
@Command(
        name = "doctor",
        description =
                "Looks at machine, database, ports, configuration and agents, or at services.")
public final class DoctorCommand extends StandaloneCommandBase {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @Mixin private DataDirectoryOption data = new DataDirectoryOption();

    @Option(
            names = "--config",
            paramLabel = "DIR",
            description = "Configuration directory (default: that of the data directory).")
    private @Nullable Path config; // null when not given

    @Option(
            names = "--postgres",
            paramLabel = "URL",
            description = "A PostgreSQL of yours (default: the one in the data directory).")
    private @Nullable String postgres; // null when not given

    @Option(
            names = "--http-port",
            paramLabel = "PORT",
            defaultValue = "8080",
            description = "As for 'up' (default: 8080).")
    private int httpPort;

    @Option(
            names = "--grpc-port",
            paramLabel = "PORT",
            defaultValue = "9090",
            description = "As for 'up' (default: 9090).")
    private int grpcPort;

    @Option(
            names = "--agent-port",
            paramLabel = "PORT",
            defaultValue = "9091",
            description = "As for 'up' (default: 9091).")
    private int agentPort;

    @Option(
            names = "--service",
            paramLabel = "HOST:PORT",
            split = ",",
            description =
                    "Asks a service of its own, at its --metrics address, whether it is ready and"
                            + " whether its certificate ends soon; nothing else is looked at then.")
    private List<String> services = List.of();

    @Override
    int run() {
        List<DoctorFinding> findings =
                services.isEmpty() ? runChecks() : ServiceCheck.run(services);
        if (wantsJson()) {
            print(
                    JSON.writeValueAsString(
                            Map.of("findings", findings.stream().map(this::json).toList())));
        } else {
            findings.forEach(finding -> print(line(finding)));
        }
        return findings.stream().anyMatch(finding -> finding.level() == DoctorFinding.Level.FAIL)
                ? FAILED
                : DONE;
    }

    private List<DoctorFinding> runChecks() {
        return Doctor.run(
                new Doctor.DeploymentToCheck(
                        data.directory(),
                        Optional.ofNullable(postgres),
                        Optional.ofNullable(config),
                        httpPort,
                        grpcPort,
                        agentPort),
                InstantSource.system());
    }

    private static String line(DoctorFinding finding) {
        return "%-4s  %-8s  %s"
                .formatted(word(finding.level()), finding.check(), finding.sentence());
    }

    private Map<String, String> json(DoctorFinding finding) {
        return new TreeMap<>(
                Map.of(
                        "level", word(finding.level()),
                        "check", finding.check(),
                        "sentence", finding.sentence()));
    }

    private static String word(DoctorFinding.Level level) {
        return level.name().toLowerCase(Locale.ROOT);
    }
}
