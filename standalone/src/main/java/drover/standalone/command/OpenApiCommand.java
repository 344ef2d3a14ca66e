package drover.standalone.command;

import drover.coordinator.OperatorApiDefinition;
import picocli.CommandLine.Command;

/** {@code drover openapi}: prints what REST offers, without asking anybody. */
@Command(
        name = "openapi",
        description = {
            "Prints the OpenAPI 3.1 document of REST, for generators of clients and for viewers.",
            "A running Drover shows the same at /api/v1/openapi.json, without a key."
        })
public final class OpenApiCommand extends StandaloneCommandBase {
    @Override
    int run() {
        print(OperatorApiDefinition.openApiDocument().stripTrailing());
        return DONE;
    }
}
