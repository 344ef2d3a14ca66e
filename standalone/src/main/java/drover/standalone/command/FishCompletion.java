package drover.standalone.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Writes the command tree as fish's {@code complete} rules. */
final class FishCompletion {
    private final List<String> lines = new ArrayList<>();

    private FishCompletion() {}

    static String of(CommandLine drover) {
        FishCompletion rules = new FishCompletion();
        rules.lines.add("# Completion of drover for fish.");
        rules.lines.add("complete -c drover -f");
        rules.addRules(drover, List.of());
        return String.join("\n", rules.lines);
    }

    private void addRules(CommandLine command, List<String> path) {
        Map<String, CommandLine> inner = command.getSubcommands();
        String here = seenCondition(path);
        inner.forEach(
                (name, sub) -> {
                    String first =
                            sub.getCommandSpec().usageMessage().description().length > 0
                                    ? sub.getCommandSpec().usageMessage().description()[0]
                                    : name;
                    String none =
                            path.isEmpty()
                                    ? "__fish_use_subcommand"
                                    : here
                                            + "; and not __fish_seen_subcommand_from "
                                            + String.join(" ", inner.keySet());
                    addRule(none, "-a " + name, first);
                });
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (option.inherited() || option.hidden()) {
                continue; // said once, where it belongs
            }
            addOption(here, option);
        }
        for (PositionalParamSpec parameter : command.getCommandSpec().positionalParameters()) {
            String words = candidatesArgument(parameter);
            if (!words.isEmpty()) {
                addRule(here, words, parameter.paramLabel());
            }
        }
        inner.forEach(
                (name, sub) -> {
                    List<String> deeper = new ArrayList<>(path);
                    deeper.add(name);
                    addRules(sub, deeper);
                });
    }

    private void addOption(String here, OptionSpec option) {
        StringBuilder names = new StringBuilder();
        for (String name : option.names()) {
            names.append(name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.charAt(1))
                    .append(' ');
        }
        boolean takesValue = option.arity().max() > 0;
        boolean file = takesValue && java.nio.file.Path.class.equals(option.type());
        String value =
                file ? "-rF" : takesValue ? ("-x " + candidatesArgument(option)).strip() : "";
        String flags = names + value;
        String[] description = option.description();
        addRule(here, flags.strip(), description.length > 0 ? description[0] : "");
    }

    /** What may be given where only some words may; empty where anything may. */
    private static String candidatesArgument(ArgSpec argument) {
        Iterable<String> candidates = argument.completionCandidates();
        return candidates == null ? "" : "-a '" + String.join(" ", candidates) + "'";
    }

    private void addRule(String condition, String what, String description) {
        String on = condition.isEmpty() ? "" : " -n '" + condition + "'";
        lines.add("complete -c drover" + on + " " + what + " -d '" + escape(description) + "'");
    }

    private static String seenCondition(List<String> path) {
        return String.join(
                "; and ",
                path.stream().map(name -> "__fish_seen_subcommand_from " + name).toList());
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\").replace("'", "\\'").replace("%n", " ");
    }
}
