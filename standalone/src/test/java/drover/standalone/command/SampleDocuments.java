package drover.standalone.command;

import drover.standalone.command.JsonSchemaCommand.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.FailsafeSchema;
import tools.jackson.databind.json.JsonMapper;

/** Documents that use every key, and what becomes of them when something in them is broken. */
final class SampleDocuments {
    static final String SHA = "sha256:" + "0123456789abcdef".repeat(4);

    private static final Map<Kind, String> WHOLE =
            Map.of(
                    Kind.MANIFEST,
                    """
                    upgrade_id: greeter-v2
                    chain_profile_id: harbour
                    node_type: edge
                    binary_name: greeter
                    target_version: 1.10
                    target_url: https://releases.example.org/greeter
                    target_checksum: SHA
                    target_size: 7000
                    artifacts:
                      linux/arm64:
                        url: https://releases.example.org/greeter-arm64
                        checksum: SHA
                        size: 7100
                    state_compatibility:
                      migration_type: breaking
                      notes: The format changes
                    recovery_plan: Provision again
                    expected_failures: { reasons: [DISK_FULL], max_nodes: 5 }
                    config_changes:
                      - path: /etc/greeter.conf
                        template: greeter.tmpl
                        overrides:
                          max_peers: 100
                    """,
                    Kind.CHAIN_PROFILE,
                    """
                    id: harbour
                    runtime: { type: docker }
                    programs:
                      - name: greeter
                        path: /usr/bin/greeter
                        service: greeter.service
                        arguments: ["{path}", --port, 80]
                        environment: { NAME: "{{ .node_id }}" }
                        user: greeter
                        identity: exe
                        stop: { signal: SIGINT, timeout: 30m }
                        cluster:
                          driver: etcd
                          endpoint: https://127.0.0.1:2379
                          interval: 10s
                          ca: /etc/etcd/ca.pem
                          cert: /etc/etcd/client.pem
                          key: /etc/etcd/client.key
                          user_file: /etc/etcd/user
                        configs:
                          - path: /etc/greeter.conf
                            template: greeter.tmpl
                            overrides: { level: info }
                        probes:
                          - name: alive
                            kind: process
                            interval: 5s
                            timeout: 500ms
                            grace: 0s
                            sets: { application_health: critical }
                          - name: door
                            kind: tcp
                            host: 127.0.0.1
                            port: 26657
                            sets: { application_health: degraded }
                          - name: page
                            kind: http
                            url: http://127.0.0.1:80/health
                            status: 204
                            json_pointer: /state
                            equals: true
                            sets: { sync_status: syncing }
                          - name: sync
                            kind: exec
                            command: [/bin/check, 7]
                            sets: { sync_status: stalled }
                    variables: { port: 80, empty: }
                    health: { wait: 1m, crash_loop_restarts: 5 }
                    standalone:
                      name_prefix: berth
                      node_type: edge
                      labels: { var.port: "{port}" }
                      programs:
                        - name: greeter
                          version: v1
                          url: file:/tmp/greeter
                          checksum: SHA
                    """,
                    Kind.NODES,
                    """
                    nodes:
                      - name: berth-1
                        chain: harbour
                        type: edge
                        labels: { zone: 7 }
                        agent: external
                        programs:
                          - name: greeter
                            version: 1.10
                            url: file:///tmp/greeter
                            checksum: SHA
                    """);

    /** Mappings whose keys are free. */
    private static final Set<String> FREE =
            Set.of("labels", "variables", "environment", "overrides", "artifacts");

    private SampleDocuments() {}

    static String whole(Kind kind) {
        return WHOLE.getOrDefault(kind, "").replace("SHA", SHA);
    }

    /** A whole document in which one passage is replaced. */
    record Broken(Kind kind, String passage, String instead) {
        String text() {
            String whole = whole(kind);
            String sha = passage.replace("SHA", SHA);
            if (!whole.contains(sha)) {
                throw new IllegalStateException("not in the document: " + passage);
            }
            return whole.replaceFirst(
                    java.util.regex.Pattern.quote(sha),
                    java.util.regex.Matcher.quoteReplacement(instead));
        }
    }

    static Stream<Broken> broken() {
        return Stream.of(manifests(), profiles(), nodes()).flatMap(each -> each);
    }

    private static Stream<Broken> manifests() {
        return Stream.of(
                manifest("upgrade_id: greeter-v2", "upgrade_id: ''"),
                manifest("upgrade_id: greeter-v2", "upgrade_id:"),
                manifest("upgrade_id: greeter-v2\n", ""),
                manifest("upgrade_id: greeter-v2", "upgrade_id: [a]"),
                manifest("upgrade_id: greeter-v2", "upgrade_id: a/b"),
                manifest("node_type: edge", "node_type: Edge"),
                manifest("binary_name: greeter", "binary_name: -greeter"),
                manifest("target_version: 1.10", "target_version: 'v 1'"),
                manifest("target_url: https", "target_url: ftp"),
                manifest("target_url: https://releases.example.org/greeter\n", ""),
                manifest("target_checksum: SHA", "target_checksum: md5:00"),
                manifest("target_size: 7000", "target_size: 0"),
                manifest("target_size: 7000", "target_size: 7k"),
                manifest("target_size: 7000", "target_size: -1"),
                manifest("linux/arm64:", "linux-arm64:"),
                manifest("        checksum: SHA".substring(4), "    zzz: 1"),
                manifest("migration_type: breaking", "migration_type: maybe"),
                manifest("recovery_plan: Provision again\n", ""),
                manifest("recovery_plan: Provision again", "recovery_plan: ' '"),
                manifest("path: /etc/greeter.conf", "path: etc/greeter.conf"),
                manifest("path: /etc/greeter.conf", "path: /etc/../greeter.conf"),
                manifest("path: /etc/greeter.conf", "path: /etc//greeter.conf"),
                manifest("template: greeter.tmpl", "template: ../greeter.tmpl"),
                manifest("max_peers: 100", "node_id: 100"),
                manifest("max_peers: 100", "max-peers: 100"),
                manifest("max_peers: 100", "max_peers: [100]"));
    }

    private static Stream<Broken> profiles() {
        return Stream.of(
                profile("type: docker", "type: Podman"),
                profile("runtime: { type: docker }\n", ""),
                profile("type: docker", "type: systemd"),
                profile("    service: greeter.service\n", ""),
                profile("arguments: [\"{path}\", --port, 80]", "arguments: --port"),
                profile("{ NAME:", "{ 1NAME:"),
                profile("user: greeter", "user: Greeter"),
                profile("identity: exe", "identity: hash"),
                profile("signal: SIGINT", "signal: KILL"),
                profile("timeout: 30m", "timeout: 0s"),
                profile("      driver: etcd\n", ""),
                profile("driver: etcd", "driver: consul"),
                profile("driver: etcd", "driver: drivers/app"),
                profile("driver: etcd", "driver: /opt/driver"),
                profile("      endpoint: https://127.0.0.1:2379\n", ""),
                profile("endpoint: https://127.0.0.1:2379", "endpoint: 127.0.0.1:2379"),
                profile("https://127.0.0.1:2379", "https://root:x@127.0.0.1:2379"),
                profile("https://127.0.0.1:2379", "https://127.0.0.1:2379/v3"),
                profile("https://127.0.0.1:2379", "https://127.0.0.1:2379?x=1"),
                profile("interval: 10s", "interval: 0s"),
                profile("ca: /etc/etcd/ca.pem", "ca: etcd/ca.pem"),
                profile("ca: /etc/etcd/ca.pem", "ca: /etc/../ca.pem"),
                profile("      ca: /etc/etcd/ca.pem\n", ""),
                profile("      cert: /etc/etcd/client.pem\n", ""),
                profile("      key: /etc/etcd/client.key\n", ""),
                profile("user_file: /etc/etcd/user", "user: root"),
                profile("kind: process", "kind: ping"),
                profile("interval: 5s", "interval: 5"),
                profile("interval: 5s", "interval: 0s"),
                profile("timeout: 500ms", "timeout: 2 s"),
                profile("port: 26657", "port: 0"),
                profile("port: 26657", "port: 65536"),
                profile("port: 26657", "port: http"),
                profile("url: http://127", "url: 127"),
                profile("status: 204", "status: 99"),
                profile("equals: true\n", "timeout: 1s\n"),
                profile("json_pointer: /state", "json_pointer: state"),
                profile("command: [/bin/check, 7]", "command: []"),
                profile("command: [/bin/check, 7]", "command: ['', 7]"),
                profile("host: 127.0.0.1", "url: http://127.0.0.1/"),
                profile("{ sync_status: syncing }", "{}"),
                profile("{ sync_status: syncing }", "{ sync_status: synced }"),
                profile(
                        "{ sync_status: syncing }",
                        "{ sync_status: syncing, application_health: degraded }"),
                profile("variables: { port: 80,", "variables: { node_type: 80,"),
                profile("wait: 1m", "wait: one minute"),
                profile("crash_loop_restarts: 5", "crash_loop_restarts: 0"),
                profile("name_prefix: berth", "name_prefix: Berth"),
                profile("{ var.port:", "{ '-port':"),
                profile("      version: v1\n", ""));
    }

    private static Stream<Broken> nodes() {
        return Stream.of(
                nodes("nodes:", "node:"),
                nodes("name: berth-1", "name: Berth-1"),
                nodes("chain: harbour", "chain: ''"),
                nodes("    type: edge\n", ""),
                nodes("agent: external", "agent: mine"),
                nodes("{ zone: 7 }", "zone"),
                nodes("{ zone: 7 }", "{ zone: [7] }"),
                nodes("url: file:", "url: ftp:"),
                nodes("checksum: SHA", "checksum: 12"),
                nodes("        version: 1.10\n", ""));
    }

    private static Broken manifest(String passage, String instead) {
        return new Broken(Kind.MANIFEST, passage, instead);
    }

    private static Broken profile(String passage, String instead) {
        return new Broken(Kind.CHAIN_PROFILE, passage, instead);
    }

    private static Broken nodes(String passage, String instead) {
        return new Broken(Kind.NODES, passage, instead);
    }

    /** A whole document with the key {@code zzz} in one of its mappings. */
    record Strange(List<Object> path, Map<?, ?> mapping, String text) {}

    /** One document for each mapping whose keys are fixed; JSON is YAML. */
    static List<Strange> withAStrangeKey(Kind kind) {
        LoadSettings text = LoadSettings.builder().setSchema(new FailsafeSchema()).build();
        String nothingLeftOut = whole(kind).replace("empty: }", "empty: x }");
        Object root = new Load(text).loadFromString(nothingLeftOut);
        List<Strange> found = new ArrayList<>();
        visit(root, root, List.of(), found);
        return found;
    }

    @SuppressWarnings("unchecked") // Load makes mappings of texts
    private static void visit(Object root, Object at, List<Object> path, List<Strange> found) {
        if (at instanceof Map<?, ?> mapping) {
            boolean free = !path.isEmpty() && FREE.contains(path.getLast());
            if (!free) {
                Map<?, ?> before = new LinkedHashMap<>(mapping);
                ((Map<Object, Object>) mapping).put("zzz", "x");
                found.add(
                        new Strange(
                                path,
                                before,
                                JsonMapper.builder().build().writeValueAsString(root)));
                mapping.remove("zzz");
            }
            List.copyOf(mapping.entrySet())
                    .forEach(
                            entry ->
                                    visit(
                                            root,
                                            entry.getValue(),
                                            and(path, entry.getKey()),
                                            found));
        }
        if (at instanceof List<?> items) {
            for (int i = 0; i < items.size(); i++) {
                visit(root, items.get(i), and(path, i), found);
            }
        }
    }

    private static List<Object> and(List<Object> path, Object step) {
        List<Object> longer = new ArrayList<>(path);
        longer.add(step);
        return longer;
    }
}
