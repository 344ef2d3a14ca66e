package drover.opsagent.adopt;

import drover.model.program.LaunchSpec;
import drover.opsagent.adopt.AdoptionReport.FoundFile;
import drover.opsagent.store.KnownVersion;
import java.util.ArrayList;
import java.util.List;

/** Shows people what was found on a node, and what is recorded of it. */
final class AdoptionTable {
    private AdoptionTable() {}

    /** The lines, each without its end. */
    static List<String> lines(AdoptionReport survey) {
        List<String> lines = new ArrayList<>();
        lines.add("Found: " + survey.discovered().description());
        survey.discovered().status().forEach((name, value) -> lines.add(line(name, value)));
        lines.add(line("runs", survey.discovered().executable()));
        lines.add(line("digest", survey.discovered().digest().value()));
        for (FoundFile file : survey.files()) {
            lines.add(line(file.path().value(), describe(file)));
        }
        lines.addAll(recorded(survey));
        return lines;
    }

    private static String describe(FoundFile file) {
        String there = file.digest().isEmpty() ? "is not there" : file.digest() + " " + file.mode();
        String elsewhere =
                file.place().toString().equals(file.path().value()) ? "" : " at " + file.place();
        return there + elsewhere;
    }

    private static List<String> recorded(AdoptionReport survey) {
        return switch (survey.adoption()) {
            case Adoption.Adopted(_, KnownVersion version) -> {
                LaunchSpec launch = survey.program().spec().launch();
                List<String> lines = new ArrayList<>();
                lines.add("Recorded:");
                lines.add(line("program", survey.program().name()));
                lines.add(line("version", version.version()));
                lines.add(line("path", launch.path().value()));
                lines.add(line("service", launch.service()));
                lines.add(line("command line", String.join(" ", launch.arguments())));
                lines.add(line("environment", String.join(" ", launch.environment().keySet())));
                lines.add(line("user", launch.user()));
                lines.add(line("proved by", launch.identity() + ""));
                lines.add(line("can be got at", version.url()));
                lines.add(
                        line(
                                "managed files",
                                survey.program().managedFiles().size()
                                        + ", probes "
                                        + survey.program().spec().probes().size()));
                lines.removeIf(it -> it.endsWith(" "));
                yield lines;
            }
            case Adoption.AlreadyAdopted(KnownVersion version) ->
                    List.of(
                            "Recorded before: "
                                    + survey.program().name()
                                    + " "
                                    + version.version()
                                    + ". Nothing changes.");
            case Adoption.Refused _ -> List.of();
        };
    }

    private static String line(String name, String value) {
        return "  %-24s %s".formatted(name, value);
    }
}
