package drover.cli;

import picocli.CommandLine.Option;

/** Why somebody does what others will ask about: there is no doing it without. */
final class RequiredReason {
    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            required = true,
            description = "Why, for the history.")
    private String text = "";

    String text() {
        return text;
    }
}
