package drover.trust.release;

import drover.model.NodePath;
import drover.model.program.ClusterProbe;
import drover.model.program.LaunchSpec;
import drover.model.program.Probe;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Command line and probes that a release is signed for. Arguments, values of the environment and
 * the words of probes are templates: {@code {{ .port }}} stands for a value of the node, of
 * letters, digits and {@code . _ : -}, so that it adds neither an option nor a path.
 *
 * @param probes the words of each check and of a cluster probe, its kind first
 * @param stop how the program is stopped
 */
public record ReleaseLaunchSpec(
        NodePath path,
        String service,
        List<String> arguments,
        Map<String, String> environment,
        String user,
        ProgramDigestSource identity,
        List<List<String>> probes,
        StopSettings stop) {
    private static final String STOP = "stop";
    private static final String SIGNAL = "signal";
    private static final String TIMEOUT = "timeout_ms";
    private static final int MAX_ENTRIES = 1_000;
    private static final Pattern VARIABLE =
            Pattern.compile("\\{\\{ *\\.[A-Za-z_][A-Za-z0-9_]* *\\}\\}");
    private static final String VALUE = "[A-Za-z0-9._:-]{0,200}";

    /** Refuses, with {@link NotTrusted}, templates that are more than plain variables. */
    public ReleaseLaunchSpec {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        probes = probes.stream().map(List::copyOf).toList();
        arguments.forEach(ReleaseLaunchSpec::requireVariablesOnly);
        environment.values().forEach(ReleaseLaunchSpec::requireVariablesOnly);
        probes.forEach(words -> words.forEach(ReleaseLaunchSpec::requireVariablesOnly));
        if (arguments.size() > MAX_ENTRIES
                || environment.size() > MAX_ENTRIES
                || probes.size() > MAX_ENTRIES) {
            throw NotTrusted.malformed("A release has at most 1,000 arguments and probes.");
        }
    }

    /** The runtime decides how the program is stopped. */
    public ReleaseLaunchSpec(
            NodePath path,
            String service,
            List<String> arguments,
            Map<String, String> environment,
            String user,
            ProgramDigestSource identity,
            List<List<String>> probes) {
        this(
                path,
                service,
                arguments,
                environment,
                user,
                identity,
                probes,
                StopSettings.RUNTIME_DEFAULT);
    }

    private static void requireVariablesOnly(String template) {
        if (VARIABLE.matcher(template).replaceAll("").contains("{{")) {
            throw NotTrusted.malformed(
                    "'" + template + "' cannot be signed: use variables like {{ .port }} alone.");
        }
    }

    static ReleaseLaunchSpec read(JsonObjectReader fields) {
        JsonObjectReader variables = fields.readObject("environment");
        Map<String, String> environment = new LinkedHashMap<>();
        variables.unreadNames().forEach(name -> environment.put(name, variables.readText(name)));
        ReleaseLaunchSpec launch =
                new ReleaseLaunchSpec(
                        fields.readName("path", NodePath::new),
                        fields.readText("service"),
                        fields.readNames("arguments", MAX_ENTRIES, text -> text),
                        environment,
                        fields.readText("user"),
                        fields.readName("identity", ProgramDigestSource::valueOf),
                        fields.readList("probes", MAX_ENTRIES, ReleaseLaunchSpec::probeWords),
                        readStop(fields));
        fields.requireAllRead();
        return launch;
    }

    /** Missing in releases that leave it to the runtime, as all did before there was a choice. */
    private static StopSettings readStop(JsonObjectReader launch) {
        if (!launch.hasUnread(STOP)) {
            return StopSettings.RUNTIME_DEFAULT;
        }
        JsonObjectReader fields = launch.readObject(STOP);
        Optional<StopSignal> signal =
                fields.hasUnread(SIGNAL)
                        ? Optional.of(fields.readName(SIGNAL, StopSignal::parse))
                        : Optional.empty();
        Optional<Duration> timeout =
                fields.hasUnread(TIMEOUT)
                        ? Optional.of(
                                Duration.ofMillis(
                                        fields.readLong(
                                                TIMEOUT,
                                                StopSettings.MIN_TIMEOUT.toMillis(),
                                                StopSettings.MAX_TIMEOUT.toMillis())))
                        : Optional.empty();
        fields.requireAllRead();
        return new StopSettings(signal, timeout);
    }

    private static List<String> probeWords(Json json) {
        if (json instanceof Json.JsonArray(List<Json> items)) {
            List<String> words = new ArrayList<>();
            for (Json item : items) {
                if (!(item instanceof Json.JsonString(String text))) {
                    throw NotTrusted.malformed("The words of a probe are texts.");
                }
                words.add(text);
            }
            return words;
        }
        throw NotTrusted.malformed("A probe is a list of words.");
    }

    Json json() {
        Map<String, Json> members = new LinkedHashMap<>();
        members.put("path", new Json.JsonString(path.value()));
        members.put("service", new Json.JsonString(service));
        members.put("arguments", toJsonStrings(arguments));
        Map<String, Json> variables = new LinkedHashMap<>();
        new TreeMap<>(environment)
                .forEach((name, value) -> variables.put(name, new Json.JsonString(value)));
        members.put("environment", new Json.JsonObject(variables));
        members.put("user", new Json.JsonString(user));
        members.put("identity", new Json.JsonString(identity.name()));
        members.put(
                "probes",
                new Json.JsonArray(probes.stream().map(ReleaseLaunchSpec::toJsonStrings).toList()));
        if (!stop.equals(StopSettings.RUNTIME_DEFAULT)) {
            members.put(STOP, stopJson());
        }
        return new Json.JsonObject(members);
    }

    private Json stopJson() {
        Map<String, Json> members = new LinkedHashMap<>();
        stop.signal().ifPresent(it -> members.put(SIGNAL, new Json.JsonString(it.name())));
        stop.timeout().ifPresent(it -> members.put(TIMEOUT, new Json.JsonInteger(it.toMillis())));
        return new Json.JsonObject(members);
    }

    private static Json toJsonStrings(List<String> texts) {
        List<Json> items = new ArrayList<>();
        texts.forEach(text -> items.add(new Json.JsonString(text)));
        return new Json.JsonArray(items);
    }

    /** The words of a check, as they are signed. */
    public static List<String> probeWords(Probe.Check check) {
        return switch (check) {
            case Probe.Check.ProcessAlive() -> List.of("process");
            case Probe.Check.Tcp(String host, int port) ->
                    List.of("tcp", host, Integer.toString(port));
            case Probe.Check.Http(String url, int status, String pointer, String value) ->
                    List.of("http", url, Integer.toString(status), pointer, value);
            case Probe.Check.Exec(List<String> command) -> {
                List<String> words = new ArrayList<>(List.of("exec"));
                words.addAll(command);
                yield words;
            }
        };
    }

    /**
     * The words of a cluster probe, as they are signed: its driver may change the cluster, and its
     * files hold credentials.
     *
     * @param files CAs, certificate, key and user
     */
    public static List<String> clusterWords(
            String driver, String endpoint, List<Optional<NodePath>> files) {
        List<String> words = new ArrayList<>(List.of("cluster", driver, endpoint));
        files.forEach(file -> words.add(file.map(NodePath::value).orElse("")));
        return words;
    }

    private static List<String> clusterWords(ClusterProbe probe) {
        return clusterWords(
                probe.driver(),
                probe.endpoint(),
                List.of(probe.caFile(), probe.certFile(), probe.keyFile(), probe.userFile()));
    }

    /**
     * Demands that a program is launched and probed as signed, or as it is on the node already.
     *
     * @param signed of the release; null if it says nothing of launches
     * @throws NotTrusted as {@link RejectionReason#MIX_AND_MATCH}
     */
    public static void requireCoveredOrUnchanged(
            @Nullable ReleaseLaunchSpec signed, ProgramSpec requested, ProgramSpec present) {
        boolean launch =
                requested.launch().equals(present.launch())
                        || (signed != null && signed.covers(requested.launch()));
        if (!launch) {
            throw mismatch(
                    requested.launch().stop().equals(present.launch().stop())
                            ? "command line"
                            : "command line or the stop settings");
        }
        for (Probe probe : requested.probes()) {
            boolean same =
                    present.probes().stream().anyMatch(it -> it.check().equals(probe.check()));
            boolean harmless = probe.check() instanceof Probe.Check.ProcessAlive;
            if (!same && !harmless && (signed == null || !signed.covers(probe.check()))) {
                throw mismatch("probe " + probe.name());
            }
        }
        requireClusterCoveredOrUnchanged(signed, requested, present);
    }

    private static void requireClusterCoveredOrUnchanged(
            @Nullable ReleaseLaunchSpec signed, ProgramSpec requested, ProgramSpec present) {
        Optional<List<String>> words = requested.cluster().map(ReleaseLaunchSpec::clusterWords);
        boolean same = words.equals(present.cluster().map(ReleaseLaunchSpec::clusterWords));
        if (words.isPresent() && !same && (signed == null || !signed.covers(words.get()))) {
            throw mismatch("cluster probe");
        }
    }

    private boolean covers(LaunchSpec requested) {
        return path.equals(requested.path())
                && service.equals(requested.service())
                && user.equals(requested.user())
                && identity == requested.identity()
                && stop.equals(requested.stop())
                && matches(arguments, requested.arguments())
                && environment.keySet().equals(requested.environment().keySet())
                && environment.entrySet().stream()
                        .allMatch(
                                it ->
                                        matches(
                                                List.of(it.getValue()),
                                                List.of(requested.environment().get(it.getKey()))));
    }

    private boolean covers(Probe.Check check) {
        return covers(probeWords(check));
    }

    private boolean covers(List<String> requested) {
        return probes.stream().anyMatch(words -> matches(words, requested));
    }

    private static boolean matches(List<String> templates, List<String> words) {
        if (templates.size() != words.size()) {
            return false;
        }
        for (int i = 0; i < words.size(); i++) {
            if (!pattern(templates.get(i)).matcher(words.get(i)).matches()) {
                return false;
            }
        }
        return true;
    }

    private static Pattern pattern(String template) {
        StringBuilder pattern = new StringBuilder();
        Matcher variables = VARIABLE.matcher(template);
        int end = 0;
        while (variables.find()) { // ends with the template
            pattern.append(Pattern.quote(template.substring(end, variables.start())))
                    .append(variables.start() == 0 ? "(?!-)" : "")
                    .append(VALUE);
            end = variables.end();
        }
        return Pattern.compile(pattern + Pattern.quote(template.substring(end)));
    }

    private static NotTrusted mismatch(String what) {
        return new NotTrusted(
                RejectionReason.MIX_AND_MATCH,
                "The release is not signed for the "
                        + what
                        + " of this command, and the node has another one: sign the manifest with"
                        + " its profile (mix-and-match).");
    }
}
