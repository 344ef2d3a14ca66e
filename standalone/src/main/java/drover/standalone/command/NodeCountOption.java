package drover.standalone.command;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How many nodes are made where no {@code nodes.yaml} names them. */
final class NodeCountOption {
    @Option(
            names = "--nodes",
            paramLabel = "N",
            description =
                    "Makes N nodes as the chain profile's standalone: block says (default: as"
                            + " many as before, else 3; not together with nodes.yaml).")
    private @Nullable Integer count; // null when not given

    /** Empty: as many as before. */
    OptionalInt count() {
        return count == null ? OptionalInt.empty() : OptionalInt.of(count);
    }
}
