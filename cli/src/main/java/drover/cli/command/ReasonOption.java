package drover.cli.command;

import picocli.CommandLine.Option;

/** Why somebody does what others will ask about: there is no doing it without. */
public final class ReasonOption {
    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            required = true,
            description = "Why, for the history.")
    private String text = "";

    public String text() {
        return text;
    }
}
