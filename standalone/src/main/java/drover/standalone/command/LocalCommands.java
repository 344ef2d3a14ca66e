package drover.standalone.command;

import java.util.Objects;
import picocli.CommandLine;

/** Adds the commands of this machine to those of the operator. */
public final class LocalCommands {
    private LocalCommands() {}

    /**
     * The same command line with {@code demo}, {@code up}, {@code down}, {@code status}, {@code
     * agent}, {@code prepare}, {@code simulate}, {@code schema}, {@code openapi}, {@code doctor},
     * {@code trust}, {@code authority}, {@code cluster} and {@code completion}, and with {@code
     * manifest sign} and {@code manifest verify}.
     */
    public static CommandLine addTo(CommandLine drover) {
        Objects.requireNonNull(drover.getSubcommands().get("manifest"), "manifest")
                .addSubcommand(new ManifestSignCommand())
                .addSubcommand(new ManifestVerifyCommand());
        return drover.addSubcommand("demo", new DemoCommand())
                .addSubcommand("up", new UpCommand())
                .addSubcommand("down", new DownCommand())
                .addSubcommand("status", new StatusCommand())
                .addSubcommand("agent", new AgentCommand())
                .addSubcommand("prepare", new PrepareNodesCommand())
                .addSubcommand("simulate", new SimulateCommand())
                .addSubcommand("schema", new JsonSchemaCommand())
                .addSubcommand("openapi", new OpenApiCommand())
                .addSubcommand("doctor", new DoctorCommand())
                .addSubcommand("trust", TrustCommand.withSubcommands())
                .addSubcommand("authority", AuthorityCommand.withSubcommands())
                .addSubcommand("cluster", new ClusterCommand())
                .addSubcommand("completion", new CompletionCommand())
                // As for the operator's commands; a setting reaches only what is there by then.
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setOut(drover.getOut())
                .setErr(drover.getErr());
    }
}
