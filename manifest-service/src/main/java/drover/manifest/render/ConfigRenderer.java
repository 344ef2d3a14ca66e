package drover.manifest.render;

import drover.manifest.parse.LoadedTemplateFiles;
import drover.manifest.parse.Profile;
import drover.manifest.parse.ProgramTemplate;
import drover.manifest.parse.TemplatedConfigFile;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.RefusalCode;
import drover.model.program.ProgramSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Renders one program for many nodes: its launch specification and its files (seed 000, Config
 * Rendering Pipeline). Each template is read once. The first thing that is wrong for any node
 * refuses the whole request, naming template, line, column and node.
 */
public final class ConfigRenderer {
    private final ChainProfileId chain;
    private final Map<String, String> profileVariables;
    private final LaunchTemplate launch;
    private final List<FileTemplate> files = new ArrayList<>();
    private final RenderRequest request;
    private final Map<Digest, byte[]> contents = new HashMap<>();
    private long contentBytes;

    private record FileTemplate(TemplatedConfigFile change, NamedTemplate template) {}

    private ConfigRenderer(
            Profile profile,
            ProgramTemplate program,
            RenderRequest request,
            LoadedTemplateFiles templates) {
        chain = profile.id();
        profileVariables = profile.variables();
        this.request = request;
        launch = new LaunchTemplate(profile, program);
        for (TemplatedConfigFile change : request.filesToRender(program)) {
            Optional<String> text = templates.text(change.template());
            if (text.isEmpty()) {
                throw new RenderRefused(
                        RefusalCode.TEMPLATE_NOT_FOUND,
                        templates.unusableReason(change.template(), chain));
            }
            files.add(
                    new FileTemplate(
                            change,
                            NamedTemplate.parseRejectingPlaceholders(
                                    change.template(), text.get())));
        }
    }

    /**
     * Renders.
     *
     * @param templates the template files that the request names
     */
    public static RenderOutcome render(
            Profile profile, RenderRequest request, LoadedTemplateFiles templates) {
        Optional<ProgramTemplate> program = profile.findProgram(request.binary());
        if (program.isEmpty()) {
            return new RenderOutcome.Refusal(
                    RefusalCode.PROGRAM_NOT_FOUND,
                    "The chain profile '"
                            + profile.id()
                            + "' has no program '"
                            + request.binary()
                            + "': use one of "
                            + profile.joinProgramNames()
                            + ".");
        }
        Optional<NodePath> once = program.get().findManagedOnce(request.changes());
        if (once.isPresent()) {
            return new RenderOutcome.Refusal(
                    RefusalCode.CONFIG_MANAGED_ONCE,
                    ProgramTemplate.describeManagedOnce(once.get()));
        }
        try {
            return new ConfigRenderer(profile, program.get(), request, templates).renderAll();
        } catch (RenderRefused e) {
            return e.refusal();
        }
    }

    private RenderOutcome renderAll() {
        if (files.size() > TemplatedConfigFile.MOST_FILES) {
            throw tooLarge("There are more than " + TemplatedConfigFile.MOST_FILES + " files.");
        }
        List<RenderOutcome.RenderedNode> nodes = new ArrayList<>();
        request.nodes().forEach(node -> nodes.add(renderNode(node)));
        return new RenderOutcome.Rendered(nodes, contents);
    }

    private RenderOutcome.RenderedNode renderNode(RenderTargetNode node) {
        Map<String, String> variables = nodeVariables(node);
        ProgramSpec program = launch.render(addBuiltIns(variables, node), node.id());
        TreeMap<NodePath, RenderOutcome.RenderedNode.FileDigestAndSize> rendered = new TreeMap<>();
        long total = 0;
        for (FileTemplate file : files) {
            Map<String, String> own = new HashMap<>(variables);
            own.putAll(file.change().overrides());
            byte[] bytes =
                    file.template()
                            .renderRejectingPlaceholders(addBuiltIns(own, node), node.id())
                            .getBytes(StandardCharsets.UTF_8);
            total += bytes.length;
            if (bytes.length > RenderLimits.LONGEST_FILE || total > RenderLimits.LARGEST_NODE) {
                throw tooLarge(
                        "The files of node " + node.id() + " are larger than 512 KiB in all.");
            }
            rendered.put(
                    file.change().path(),
                    new RenderOutcome.RenderedNode.FileDigestAndSize(
                            addContentWithinLimit(bytes), bytes.length));
        }
        return new RenderOutcome.RenderedNode(node.id(), program, rendered);
    }

    private Digest addContentWithinLimit(byte[] bytes) {
        Digest digest = Digest.of(bytes);
        if (contents.putIfAbsent(digest, bytes) == null) {
            contentBytes += bytes.length;
            if (contentBytes > RenderLimits.LARGEST_ANSWER) {
                throw tooLarge("The files of all nodes are too large: ask for fewer at a time.");
            }
        }
        return digest;
    }

    /** Profile, then the node's labels {@code var.*}; overrides come last, per file. */
    private Map<String, String> nodeVariables(RenderTargetNode node) {
        Map<String, String> variables = new HashMap<>(profileVariables);
        node.labels()
                .forEach(
                        (label, value) -> {
                            if (label.startsWith(RenderTargetNode.VARIABLE_LABEL)) {
                                String name =
                                        label.substring(RenderTargetNode.VARIABLE_LABEL.length());
                                variables.put(name, value);
                            }
                        });
        return variables;
    }

    private Map<String, String> addBuiltIns(Map<String, String> variables, RenderTargetNode node) {
        variables.put("node_id", node.id().value());
        variables.put("node_type", node.type().value());
        variables.put("chain_profile_id", chain.value());
        variables.put("binary_name", request.binary().value());
        variables.put("target_version", request.targetVersion());
        return variables;
    }

    private static RenderRefused tooLarge(String sentence) {
        return new RenderRefused(RefusalCode.RENDERED_TOO_LARGE, sentence);
    }
}
