package drover.manifest.render;

import static org.assertj.core.api.Assertions.assertThat;

import drover.manifest.parse.ConfigWritePolicy;
import drover.manifest.parse.LoadedTemplateFiles;
import drover.manifest.parse.Profile;
import drover.manifest.parse.ProfileParserTest;
import drover.manifest.parse.TemplatedConfigFile;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.NodeType;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import drover.model.program.Probe;
import drover.model.program.ProgramSpec;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ConfigRendererTest {
    private static final ThreadMXBean THREAD = ManagementFactory.getThreadMXBean();

    private static final Profile PROFILE = ProfileParserTest.good(ProfileParserTest.GOOD);
    private static final NodePath CONFIG = new NodePath("/etc/celestia/config.toml");
    private static final String TEMPLATE =
            "id={{ .node_id }} type={{ .node_type }} chain={{ .chain_profile_id }}"
                    + " program={{ .binary_name }} version={{ .target_version }}"
                    + " port={{ .port }} peers={{ .max_peers }}";

    private static LoadedTemplateFiles templates(String text) {
        return new LoadedTemplateFiles(Map.of("config.toml.tmpl", text), Map.of());
    }

    private static RenderTargetNode node(String id, Map<String, String> labels) {
        return new RenderTargetNode(new NodeId(id), new NodeType("full"), labels);
    }

    private static RenderRequest request(
            List<TemplatedConfigFile> changes, boolean initial, RenderTargetNode... nodes) {
        return new RenderRequest(
                new BinaryName("celestia-node"), "v2", changes, List.of(nodes), initial);
    }

    private static TemplatedConfigFile change(Map<String, String> overrides) {
        return new TemplatedConfigFile(
                CONFIG, "config.toml.tmpl", overrides, ConfigWritePolicy.ALWAYS);
    }

    private static RenderOutcome.Rendered rendered(RenderRequest request, String template) {
        RenderOutcome outcome = ConfigRenderer.render(PROFILE, request, templates(template));
        assertThat(outcome).isInstanceOf(RenderOutcome.Rendered.class);
        return (RenderOutcome.Rendered) outcome;
    }

    private static RenderOutcome.Refusal refused(RenderRequest request, String template) {
        RenderOutcome outcome = ConfigRenderer.render(PROFILE, request, templates(template));
        assertThat(outcome).isInstanceOf(RenderOutcome.Refusal.class);
        return (RenderOutcome.Refusal) outcome;
    }

    private static String text(RenderOutcome.Rendered rendered, int node) {
        Digest digest = rendered.nodes().get(node).files().firstEntry().getValue().digest();
        return new String(
                rendered.contents().getOrDefault(digest, new byte[0]), StandardCharsets.UTF_8);
    }

    @Test
    void labelsWinOverTheProfileAndOverridesOverBoth() {
        RenderOutcome.Rendered rendered =
                rendered(
                        request(
                                List.of(change(Map.of("max_peers", "100"))),
                                false,
                                node("a", Map.of()),
                                node("b", Map.of("var.port", "7", "var.max_peers", "1"))),
                        TEMPLATE);

        String same = " type=full chain=celestia program=celestia-node version=v2 port=";
        assertThat(text(rendered, 0)).isEqualTo("id=a" + same + "26657 peers=100");
        assertThat(text(rendered, 1)).isEqualTo("id=b" + same + "7 peers=100");
    }

    @Test
    void labelsCannotReplaceReservedKeys() {
        RenderOutcome.Rendered rendered =
                rendered(
                        request(
                                List.of(change(Map.of())),
                                false,
                                node("a", Map.of("var.node_id", "b"))),
                        "{{ .node_id }}");

        assertThat(text(rendered, 0)).isEqualTo("a");
    }

    @Test
    void rendersTheLaunchSpecificationAndProbesForEachNode() {
        RenderOutcome.Rendered rendered =
                rendered(request(List.of(), false, node("a", Map.of("var.port", "7"))), "");

        ProgramSpec program = rendered.nodes().getFirst().program();
        assertThat(program.launch().arguments()).containsExactly("{path}", "--port", "7");
        assertThat(program.launch().environment()).containsEntry("NODE", "a");
        assertThat(program.runtime()).isEqualTo("process");
        assertThat(program.launch().stop().timeout()).contains(Duration.ofMinutes(30));
        assertThat(program.probes())
                .extracting(Probe::check)
                .containsExactly(
                        new Probe.Check.ProcessAlive(),
                        new Probe.Check.Http(
                                "http://127.0.0.1:7/health", 204, "/result/state", "ok"),
                        new Probe.Check.Tcp("localhost", 7),
                        new Probe.Check.Exec(List.of("/bin/check", "7")));
        assertThat(rendered.nodes().getFirst().files()).isEmpty();
    }

    private static RenderOutcome renderCluster(String endpoint, Map<String, String> labels) {
        String block = "cluster: { driver: etcd, endpoint: \"" + endpoint + "\" }\n    probes:";
        Profile profile =
                ProfileParserTest.good(ProfileParserTest.GOOD.replaceFirst("probes:", block));
        return ConfigRenderer.render(
                profile, request(List.of(), false, node("a", labels)), templates(""));
    }

    @Test
    void rendersTheEndpointOfAClusterMember() {
        RenderOutcome outcome =
                renderCluster("http://127.0.0.1:{{ .port }}", Map.of("var.port", "7"));

        ProgramSpec program = ((RenderOutcome.Rendered) outcome).nodes().getFirst().program();
        assertThat(program.cluster().orElseThrow().endpoint()).isEqualTo("http://127.0.0.1:7");
        assertThat(program.launch().digest())
                .as("as probes: how the state is seen does not change what runs")
                .isEqualTo(
                        rendered(request(List.of(), false, node("a", Map.of("var.port", "7"))), "")
                                .nodes()
                                .getFirst()
                                .program()
                                .launch()
                                .digest());
    }

    @Test
    void refusesAnEndpointThatIsNoneOnceRendered() {
        RenderOutcome outcome =
                renderCluster("http://{{ .max_peers }}", Map.of("var.max_peers", "root:x@h"));

        assertThat(((RenderOutcome.Refusal) outcome).sentence())
                .contains(
                        "program celestia-node cluster endpoint for node a", "no endpoint of etcd")
                .doesNotContain("root:x");
    }

    @Test
    void rendersTheProgramsOwnFilesAtFirstAndAChangeOfTheSamePathInstead() {
        RenderRequest initial = request(List.of(), true, node("a", Map.of()));
        RenderRequest both =
                request(List.of(change(Map.of("max_peers", "9"))), true, node("a", Map.of()));

        assertThat(text(rendered(initial, "{{ .max_peers }}"), 0)).isEqualTo("40");
        assertThat(text(rendered(both, "{{ .max_peers }}"), 0)).isEqualTo("9");
    }

    @Test
    void namesTemplateLineColumnAndNodeOfAnUndefinedVariable() {
        RenderOutcome.Refusal refusal =
                refused(
                        request(List.of(change(Map.of())), false, node("node-7", Map.of())),
                        "a\n  {{ .gone }}");

        assertThat(refusal.code()).isEqualTo(RefusalCode.VARIABLE_UNDEFINED);
        assertThat(refusal.sentence())
                .contains("config.toml.tmpl:2:6")
                .contains("node-7")
                .contains("gone");
    }

    @Test
    void refusesAPortThatIsNoneOnceRendered() {
        RenderOutcome.Refusal refusal =
                refused(request(List.of(), false, node("a", Map.of("var.port", "many"))), "");

        assertThat(refusal.code()).isEqualTo(RefusalCode.TEMPLATE_INVALID);
        assertThat(refusal.sentence()).contains("node a");
    }

    @Test
    void refusesATemplateThatIsNotThereAndAProgramThatIsNotThere() {
        RenderRequest missing =
                request(
                        List.of(
                                new TemplatedConfigFile(
                                        CONFIG, "other.tmpl", Map.of(), ConfigWritePolicy.ALWAYS)),
                        false);
        RenderRequest unknown =
                new RenderRequest(new BinaryName("other"), "", List.of(), List.of(), false);

        assertThat(refused(missing, "").code()).isEqualTo(RefusalCode.TEMPLATE_NOT_FOUND);
        assertThat(refused(unknown, "").code()).isEqualTo(RefusalCode.PROGRAM_NOT_FOUND);
    }

    @Test
    @DisplayName(
            "{root} would stay as it is in a file, and is refused; {path} is of other languages")
    void refusesAPlaceholderInAFile() {
        RenderRequest plain = request(List.of(change(Map.of())), false, node("a", Map.of()));
        RenderRequest label =
                request(
                        List.of(change(Map.of())),
                        false,
                        node("a", Map.of("var.home", "{root}/home")));

        assertThat(refused(plain, "home = {root}/home").sentence())
                .isEqualTo(
                        "config.toml.tmpl: {root} is replaced in arguments and environment alone:"
                                + " write the path as the node has it, or a variable from a label"
                                + " of the node.");
        assertThat(refused(label, "{{ .home }}").sentence()).contains("variable home: {root} is");
        assertThat(text(rendered(label, "{{ .port }}"), 0)).isEqualTo("26657");
        assertThat(text(rendered(plain, "rewrite {path} {{ \"{\" }}root}"), 0))
                .isEqualTo("rewrite {path} {root}");
    }

    @Test
    void refusesMoreThan512KibForANode() {
        String large = "x".repeat(200 * 1024);
        List<TemplatedConfigFile> three =
                IntStream.range(0, 3)
                        .mapToObj(
                                i ->
                                        new TemplatedConfigFile(
                                                new NodePath("/f" + i),
                                                "config.toml.tmpl",
                                                Map.of(),
                                                ConfigWritePolicy.ALWAYS))
                        .toList();

        assertThat(refused(request(three, false, node("a", Map.of())), large).code())
                .isEqualTo(RefusalCode.RENDERED_TOO_LARGE);
        assertThat(rendered(request(three.subList(0, 2), false, node("a", Map.of())), large))
                .isNotNull();
    }

    @Test
    void keepsEqualContentsOnceAndRendersTenThousandNodesQuickly() {
        RenderTargetNode[] nodes =
                IntStream.range(0, 10_000)
                        .mapToObj(i -> node("n" + i, Map.of("var.port", "" + (1 + i % 10))))
                        .toArray(RenderTargetNode[]::new);
        long start = THREAD.getCurrentThreadCpuTime();

        RenderOutcome.Rendered rendered =
                rendered(request(List.of(change(Map.of())), false, nodes), "{{ .port }}");

        assertThat(Duration.ofNanos(THREAD.getCurrentThreadCpuTime() - start))
                .as("processor time")
                .isLessThan(Duration.ofSeconds(5));
        assertThat(rendered.nodes()).hasSize(10_000);
        assertThat(rendered.contents()).hasSize(10);
        assertThat(rendered.nodes().get(42).id()).isEqualTo(new NodeId("n42"));
        assertThat(PROFILE.id()).isEqualTo(new ChainProfileId("celestia"));
    }

    private static Profile profileWith(String managed) {
        String template = "template: config.toml.tmpl";
        assertThat(ProfileParserTest.GOOD).contains(template);
        return ProfileParserTest.good(
                ProfileParserTest.GOOD.replaceFirst(
                        template, template + "\n        managed: " + managed));
    }

    @Test
    @DisplayName("managed: once: a manifest that changes the file is refused, by its path")
    void refusesAChangeOfAFileThatOnlyTheProgramWrites() {
        RenderRequest request = request(List.of(change(Map.of())), false, node("a", Map.of()));
        RenderOutcome outcome =
                ConfigRenderer.render(profileWith("once"), request, templates("text"));
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        RenderOutcome.Refusal.class,
                        refusal -> {
                            assertThat(refusal.code()).isEqualTo(RefusalCode.CONFIG_MANAGED_ONCE);
                            assertThat(refusal.sentence()).contains(CONFIG.value());
                        });
    }

    @Test
    void namesTheFilesThatTheProgramMayWrite() {
        assertThat(programWritten("merge")).containsExactly(CONFIG);
        assertThat(programWritten("once")).containsExactly(CONFIG);
        assertThat(programWritten("always")).isEmpty();
    }

    private static List<NodePath> programWritten(String managed) {
        RenderRequest request = request(List.of(), false, node("a", Map.of()));
        RenderOutcome outcome =
                ConfigRenderer.render(profileWith(managed), request, templates("text"));
        return ((RenderOutcome.Rendered) outcome).nodes().getFirst().program().programWritten();
    }
}
