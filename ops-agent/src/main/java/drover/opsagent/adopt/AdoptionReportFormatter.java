package drover.opsagent.adopt;

import drover.model.program.DownloadAddress;
import drover.model.program.LaunchSpec;
import drover.opsagent.adopt.AdoptionReport.FoundFile;
import drover.opsagent.store.KnownVersion;
import java.util.ArrayList;
import java.util.List;

/** Shows people what was found on a node, and what is recorded of it. */
final class AdoptionReportFormatter {
    private AdoptionReportFormatter() {}

    /** The lines, each without its end. */
    static List<String> lines(AdoptionReport survey) {
        List<String> lines = new ArrayList<>();
        lines.add("Found: " + survey.discovered().description());
        survey.discovered().status().forEach((name, value) -> lines.add(formatLine(name, value)));
        lines.add(formatLine("runs", survey.discovered().executable()));
        lines.add(formatLine("digest", survey.discovered().digest().value()));
        for (FoundFile file : survey.files()) {
            lines.add(formatLine(file.path().value(), describe(file)));
        }
        lines.addAll(recordedLines(survey));
        return lines;
    }

    private static String describe(FoundFile file) {
        String there = file.digest().isEmpty() ? "is not there" : file.digest() + " " + file.mode();
        String elsewhere =
                file.place().toString().equals(file.path().value()) ? "" : " at " + file.place();
        return there + elsewhere;
    }

    private static List<String> recordedLines(AdoptionReport survey) {
        return switch (survey.adoption()) {
            case AdoptionDecision.Adopted(_, KnownVersion version) -> {
                LaunchSpec launch = survey.program().spec().launch();
                List<String> lines = new ArrayList<>();
                lines.add("Recorded:");
                lines.add(formatLine("program", survey.program().name()));
                lines.add(formatLine("version", version.version()));
                lines.add(formatLine("path", launch.path().value()));
                lines.add(formatLine("service", launch.service()));
                lines.add(formatLine("command line", String.join(" ", launch.arguments())));
                lines.add(
                        formatLine("environment", String.join(" ", launch.environment().keySet())));
                lines.add(formatLine("user", launch.user()));
                lines.add(formatLine("proved by", launch.identity() + ""));
                lines.add(formatLine("can be got at", DownloadAddress.redact(version.url())));
                lines.add(
                        formatLine(
                                "managed files",
                                survey.program().managedFiles().size()
                                        + ", probes "
                                        + survey.program().spec().probes().size()));
                lines.removeIf(it -> it.endsWith(" "));
                yield lines;
            }
            case AdoptionDecision.AlreadyAdopted(KnownVersion version) ->
                    List.of(
                            "Recorded before: "
                                    + survey.program().name()
                                    + " "
                                    + version.version()
                                    + ". Nothing changes.");
            case AdoptionDecision.Refused _ -> List.of();
        };
    }

    private static String formatLine(String name, String value) {
        return "  %-24s %s".formatted(name, value);
    }
}
