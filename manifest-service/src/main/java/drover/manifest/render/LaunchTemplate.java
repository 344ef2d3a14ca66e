package drover.manifest.render;

import drover.manifest.parse.ClusterProbeTemplate;
import drover.manifest.parse.FieldReader;
import drover.manifest.parse.PlaceholderRules;
import drover.manifest.parse.ProbeParser;
import drover.manifest.parse.ProbeTemplate;
import drover.manifest.parse.Profile;
import drover.manifest.parse.ProgramTemplate;
import drover.model.NodeId;
import drover.model.program.ClusterProbe;
import drover.model.program.LaunchSpec;
import drover.model.program.Probe;
import drover.model.program.ProgramSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A program of a profile with all its templates read, to be rendered for many nodes. */
final class LaunchTemplate {
    private final String runtime;
    private final ProgramTemplate program;
    private final String where;
    private final List<NamedTemplate> arguments = new ArrayList<>();
    private final Map<String, NamedTemplate> environment = new LinkedHashMap<>();
    private final List<ProbeRenderer> probes = new ArrayList<>();
    private final Optional<ClusterProbeRenderer> cluster;

    LaunchTemplate(Profile profile, ProgramTemplate program) {
        runtime = profile.runtime().value();
        this.program = program;
        where = "chains/" + profile.id() + ".yaml program " + program.name() + " ";
        for (int i = 0; i < program.arguments().size(); i++) {
            arguments.add(parse("arguments[" + i + "]", program.arguments().get(i)));
        }
        new TreeMap<>(program.environment())
                .forEach((key, value) -> environment.put(key, parse("environment." + key, value)));
        program.probes().forEach(probe -> probes.add(parseProbe(probe)));
        cluster =
                program.cluster()
                        .map(
                                probe ->
                                        new ClusterProbeRenderer(
                                                probe,
                                                parse("cluster endpoint", probe.endpoint())));
    }

    private NamedTemplate parse(String field, String text) {
        return NamedTemplate.parse(where + field, text);
    }

    ProgramSpec render(Map<String, String> variables, NodeId node) {
        List<String> renderedArguments = new ArrayList<>();
        arguments.forEach(template -> renderedArguments.add(template.render(variables, node)));
        Map<String, String> renderedEnvironment = new LinkedHashMap<>();
        environment.forEach(
                (key, template) -> renderedEnvironment.put(key, template.render(variables, node)));
        List<Probe> renderedProbes = new ArrayList<>();
        probes.forEach(probe -> renderedProbes.add(probe.render(variables, node)));
        LaunchSpec launch =
                new LaunchSpec(
                        program.path(),
                        program.service(),
                        renderedArguments,
                        renderedEnvironment,
                        program.user(),
                        program.identity(),
                        program.stop());
        return new ProgramSpec(
                program.name(),
                runtime,
                launch,
                renderedProbes,
                program.programWritableFiles(),
                cluster.map(probe -> probe.render(variables, node)));
    }

    /** Probe of a cluster member, whose endpoint is rendered. */
    private record ClusterProbeRenderer(ClusterProbeTemplate probe, NamedTemplate endpoint) {
        ClusterProbe render(Map<String, String> variables, NodeId node) {
            try {
                return new ClusterProbe(
                        probe.driver(),
                        endpoint.render(variables, node),
                        probe.interval(),
                        probe.caFile(),
                        probe.certFile(),
                        probe.keyFile(),
                        probe.userFile());
            } catch (IllegalArgumentException e) {
                throw endpoint.refusal(node, String.valueOf(e.getMessage()));
            }
        }
    }

    /** A probe whose check is rendered. */
    private record ProbeRenderer(ProbeTemplate probe, ProbeCheckRenderer check) {
        Probe render(Map<String, String> variables, NodeId node) {
            return new Probe(
                    probe.name(),
                    probe.interval(),
                    probe.timeout(),
                    probe.grace(),
                    check.render(variables, node),
                    probe.sets());
        }
    }

    private interface ProbeCheckRenderer {
        Probe.Check render(Map<String, String> variables, NodeId node);
    }

    private ProbeRenderer parseProbe(ProbeTemplate probe) {
        String field = "probe " + probe.name() + " ";
        return new ProbeRenderer(
                probe,
                switch (probe.check()) {
                    case ProbeTemplate.Check.ProcessAlive() ->
                            (variables, node) -> new Probe.Check.ProcessAlive();
                    case ProbeTemplate.Check.Tcp tcp -> parseTcp(field, tcp);
                    case ProbeTemplate.Check.Http http -> parseHttp(field, http);
                    case ProbeTemplate.Check.Exec exec -> parseExec(field, exec);
                });
    }

    private ProbeCheckRenderer parseTcp(String field, ProbeTemplate.Check.Tcp tcp) {
        NamedTemplate host = parse(field + "host", tcp.host());
        NamedTemplate port = parse(field + "port", tcp.port());
        return (variables, node) -> {
            String number = port.render(variables, node);
            if (!ProbeParser.isPort(number)) {
                throw port.refusal(node, "'" + FieldReader.shorten(number) + "' is no port.");
            }
            return new Probe.Check.Tcp(host.render(variables, node), Integer.parseInt(number));
        };
    }

    private ProbeCheckRenderer parseHttp(String field, ProbeTemplate.Check.Http http) {
        NamedTemplate url = parse(field + "url", http.url());
        NamedTemplate equal = parse(field + "equals", http.equalTo());
        return (variables, node) -> {
            String page = url.render(variables, node);
            if (!ProbeParser.isHttpUrl(page)) {
                throw url.refusal(node, "'" + FieldReader.shorten(page) + "' is no page.");
            }
            return new Probe.Check.Http(
                    page, http.status(), http.jsonPointer(), equal.render(variables, node));
        };
    }

    private ProbeCheckRenderer parseExec(String field, ProbeTemplate.Check.Exec exec) {
        List<NamedTemplate> words = new ArrayList<>();
        exec.command().forEach(word -> words.add(parse(field + "command", word)));
        return (variables, node) ->
                new Probe.Check.Exec(
                        words.stream()
                                .map(word -> renderCheckedWord(word, variables, node))
                                .toList());
    }

    /** A variable must not bring in what the profile itself may not say. */
    private static String renderCheckedWord(
            NamedTemplate word, Map<String, String> variables, NodeId node) {
        String rendered = word.render(variables, node);
        PlaceholderRules.problemInProbe(rendered)
                .ifPresent(
                        sentence -> {
                            throw word.refusal(node, sentence);
                        });
        return rendered;
    }
}
