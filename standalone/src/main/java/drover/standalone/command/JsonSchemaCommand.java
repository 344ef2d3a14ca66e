package drover.standalone.command;

import drover.localenv.UserFacingError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code drover schema}: prints what editors check files with. */
@Command(
        name = "schema",
        description = "Prints the JSON Schema of a file of the configuration directory.")
public final class JsonSchemaCommand extends StandaloneCommandBase {
    /** The files that have a schema. */
    public enum Kind {
        /** An upgrade manifest. */
        MANIFEST,
        /** A chain profile. */
        CHAIN_PROFILE,
        /** The list of nodes. */
        NODES;

        /** As it is typed, and as its schema is named. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @Parameters(paramLabel = "FILE", description = "One of ${COMPLETION-CANDIDATES}.")
    private Kind kind = Kind.MANIFEST;

    @Override
    int run() {
        print(readSchema(kind).stripTrailing());
        return DONE;
    }

    /** The schema as it is committed. */
    static String readSchema(Kind kind) {
        try (InputStream in =
                JsonSchemaCommand.class.getResourceAsStream("/schemas/" + kind + ".schema.json")) {
            if (in == null) {
                throw new UserFacingError("This Drover lacks its schemas; build it again.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UserFacingError("The schema cannot be read; build Drover again.", e);
        }
    }
}
