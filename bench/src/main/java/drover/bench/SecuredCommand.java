package drover.bench;

import drover.bench.mesh.Running;
import drover.bench.secured.Held;
import drover.bench.secured.Identities;
import drover.bench.secured.SecuredGateway;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code drover bench secured}: streams with certificates at both ends. */
@Command(
        name = "secured",
        description =
                "Streams with certificates on one gateway: the memory of each beside bare gRPC, and"
                        + " until all are back after it was killed.")
final class SecuredCommand extends BenchCommand {
    private static final double KIB = 1024;

    @Option(
            names = "--streams",
            paramLabel = "N",
            defaultValue = "500",
            description = "How many agents dial, each with a connection (default: 500).")
    private int streams;

    @Option(
            names = "--dial-again",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "Within which agents dial again (default: 60, as they usually do).")
    private int dialAgain;

    @Override
    void measure(Path directory, Running running) {
        Identities identities = new Identities(directory.resolve("identities"));
        try (SecuredGateway gateway = new SecuredGateway(directory, running, identities, streams)) {
            Held bare = gateway.bare(directory);
            Held before = gateway.held();
            Duration open = gateway.open(dialAgain);
            Held each = gateway.held().each(before, streams);
            Duration back = gateway.kill();
            say(
                    new Table(streams + " streams", "live heap of each", "resident of each")
                            .row("gateway", kibibytes(each.live()), kibibytes(each.resident()))
                            .row(
                                    "bare server",
                                    kibibytes(bare.live()),
                                    kibibytes(bare.resident())));
            say(
                    new Table("all of them", "took")
                            .row("first dial", Table.seconds(open))
                            .row("back after kill -9", Table.seconds(back)));
        }
    }

    private static String kibibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f KiB", bytes / KIB);
    }
}
