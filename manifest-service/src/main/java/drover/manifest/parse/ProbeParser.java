package drover.manifest.parse;

import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.manifest.document.YamlNode;
import drover.model.ApplicationHealth;
import drover.model.SyncStatus;
import drover.model.program.Probe;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Parses one probe of a program. */
public final class ProbeParser {
    private static final List<String> KINDS = List.of("process", "tcp", "http", "exec");
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,4}");
    private static final Pattern PAGE = Pattern.compile("(?i:https?)://[^\\s/?#]+(?:[/?#]\\S*)?");
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final int MOST_WORDS = 100;
    private static final int HIGHEST_PORT = 65_535;

    private final FieldReader reader;
    private final ProblemCollector problems;

    ProbeParser(FieldReader reader, ProblemCollector problems) {
        this.reader = reader;
        this.problems = problems;
    }

    ProbeTemplate parse() {
        String name = reader.requiredText("name");
        String kind =
                reader.has("kind")
                        ? reader.allowedTextOrFallback("kind", "process", KINDS)
                        : addMissingKindAndDefault();
        Duration interval = DurationReader.read(reader, "interval", INTERVAL, SHORTEST, problems);
        Duration timeout = DurationReader.read(reader, "timeout", TIMEOUT, SHORTEST, problems);
        Duration grace =
                DurationReader.read(reader, "grace", Duration.ZERO, Duration.ZERO, problems);
        ProbeTemplate.Check check = parseCheck(kind);
        Probe.StatusWhileFailing sets = parseSignal();
        reader.addUnknownKeyProblems();
        return new ProbeTemplate(name, interval, timeout, grace, check, sets);
    }

    private String addMissingKindAndDefault() {
        reader.addMissingFieldProblem("kind");
        return "process";
    }

    /** Asks for the fields of this kind only, so that others count as unknown. */
    private ProbeTemplate.Check parseCheck(String kind) {
        return switch (kind) {
            case "tcp" -> new ProbeTemplate.Check.Tcp(parseHost(), parsePort());
            case "http" -> parseHttp();
            case "exec" -> parseExec();
            default -> new ProbeTemplate.Check.ProcessAlive();
        };
    }

    private String parseHost() {
        String host = reader.textOrFallback("host", "127.0.0.1");
        ProfileTemplateSyntaxCheck.check(host, reader.locationOf("host"), problems);
        return host;
    }

    private String parsePort() {
        String port = reader.requiredText("port");
        ProfileTemplateSyntaxCheck.check(port, reader.locationOf("port"), problems);
        if (!port.isEmpty() && !port.contains("{{") && !isPort(port)) {
            problems.add(
                    reader.locationOf("port"),
                    ProblemCode.NOT_A_NUMBER,
                    "'"
                            + FieldReader.shorten(port)
                            + "' is no port: write a number from 1 to 65535 or a template.");
        }
        return port;
    }

    /** Whether this is a port, once rendered. */
    public static boolean isPort(String text) {
        return NUMBER.matcher(text).matches() && Integer.parseInt(text) <= HIGHEST_PORT;
    }

    private ProbeTemplate.Check parseHttp() {
        String url = reader.requiredText("url");
        ProfileTemplateSyntaxCheck.check(url, reader.locationOf("url"), problems);
        if (!url.isEmpty() && !url.contains("{{") && !isHttpUrl(url)) {
            problems.add(
                    reader.locationOf("url"),
                    ProblemCode.MALFORMED_URL,
                    "'"
                            + FieldReader.shorten(url)
                            + "' is no page: write an http or https address.");
        }
        int status = (int) WholeNumberReader.read(reader, "status", 200, 100, 599, problems);
        String pointer = reader.textOrFallback("json_pointer", "");
        if (!pointer.isEmpty() && !pointer.startsWith("/")) {
            problems.add(
                    reader.locationOf("json_pointer"),
                    ProblemCode.MALFORMED_NAME,
                    "A JSON pointer begins with '/': write, for example, /result/healthy.");
        }
        String equal = reader.textOrEmpty("equals");
        ProfileTemplateSyntaxCheck.check(equal, reader.locationOf("equals"), problems);
        if (reader.has("equals") != reader.has("json_pointer")) {
            reader.addMissingFieldProblem(reader.has("equals") ? "json_pointer" : "equals");
        }
        return new ProbeTemplate.Check.Http(url, status, pointer, equal);
    }

    /** Whether this is the address of a page, once rendered. */
    public static boolean isHttpUrl(String url) {
        return PAGE.matcher(url).matches();
    }

    private ProbeTemplate.Check parseExec() {
        List<String> command = reader.textList("command", MOST_WORDS);
        if (command.isEmpty() || command.getFirst().isBlank()) {
            problems.add(
                    reader.locationOf("command"),
                    ProblemCode.MISSING_FIELD,
                    "The field 'command' is required: a list of the program and its arguments.");
        }
        for (String word : command) {
            ProfileTemplateSyntaxCheck.check(word, reader.locationOf("command"), problems);
            PlaceholderRules.problemInProbe(word)
                    .ifPresent(
                            sentence ->
                                    problems.add(
                                            reader.locationOf("command"),
                                            ProblemCode.PLACEHOLDER_NOT_REPLACED,
                                            sentence));
        }
        return new ProbeTemplate.Check.Exec(command);
    }

    private Probe.StatusWhileFailing parseSignal() {
        Probe.StatusWhileFailing fallback =
                new Probe.StatusWhileFailing.HealthWhileFailing(ApplicationHealth.CRITICAL);
        Optional<YamlNode> node = reader.requiredNode("sets");
        if (node.isEmpty()) {
            return fallback;
        }
        FieldReader fields = FieldReader.of(node.get(), problems);
        String health =
                fields.allowedTextOrFallback(
                        "application_health", "", List.of("degraded", "critical"));
        String sync =
                fields.allowedTextOrFallback("sync_status", "", List.of("syncing", "stalled"));
        if (fields.has("application_health") == fields.has("sync_status")) {
            problems.add(
                    node.get().location(),
                    ProblemCode.MISSING_FIELD,
                    "A probe sets exactly one of application_health and sync_status.");
        }
        fields.addUnknownKeyProblems();
        if (!sync.isEmpty()) {
            return new Probe.StatusWhileFailing.SyncStatusWhileFailing(
                    SyncStatus.valueOf(sync.toUpperCase(Locale.ROOT)));
        }
        return health.isEmpty()
                ? fallback
                : new Probe.StatusWhileFailing.HealthWhileFailing(
                        ApplicationHealth.valueOf(health.toUpperCase(Locale.ROOT)));
    }
}
