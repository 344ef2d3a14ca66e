package drover.cli.command;

import com.google.rpc.ErrorInfo;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** Reads from a failed command line what a hint needs. */
final class FailedCommandReader {
    private FailedCommandReader() {}

    /** Group of commands that it belongs to, such as {@code rollout}. */
    static String group(ParseResult parsed) {
        return parsed.hasSubcommand() ? parsed.subcommand().commandSpec().name() : "";
    }

    /** First positional argument; empty if there is none. */
    static String firstPositional(ParseResult parsed) {
        ParseResult last = deepestSubcommand(parsed);
        return last.matchedPositionals().isEmpty()
                ? ""
                : last.matchedPositionals().getFirst().stringValues().getFirst();
    }

    static CommandSpec spec(ParseResult parsed) {
        return deepestSubcommand(parsed).commandSpec();
    }

    /** Option that a command may have for the field of a rejected request. */
    static String optionName(ErrorInfo refusal) {
        String field = refusal.getMetadataOrDefault("field", "");
        return switch (field) {
            case "chain_profile_id" -> "--chain";
            case "source_version" -> "--from";
            case "target_version" -> "--to";
            case "binary_name" -> "--binary";
            case "target_binary_url" -> "--url";
            case "target_binary_checksum" -> "--checksum";
            default -> "--" + field.replace('_', '-');
        };
    }

    private static ParseResult deepestSubcommand(ParseResult parsed) {
        ParseResult deepest = parsed;
        while (deepest.hasSubcommand()) {
            deepest = deepest.subcommand();
        }
        return deepest;
    }
}
