package drover.standalone.doctor;

import drover.manifest.catalog.CatalogFileCache;
import drover.manifest.catalog.FileWithLastValidContent;
import drover.manifest.catalog.ManifestValidator;
import drover.manifest.document.ValidationProblem;
import drover.manifest.source.ConfigDirectory;
import drover.standalone.fleet.NodesFileReader;
import drover.standalone.fleet.PlannedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Looks at every file of the configuration directory, with the real parsers. */
final class CatalogAndNodesFileCheck {
    private static final int MOST = 40; // a page; the rest shows when these are corrected

    private final Path root;
    private final CatalogFileCache catalogue;
    private final List<DoctorFinding> findings = new ArrayList<>();

    private CatalogAndNodesFileCheck(Path root, InstantSource clock) {
        this.root = root;
        this.catalogue = new CatalogFileCache(ConfigDirectory.open(root), clock);
    }

    static List<DoctorFinding> run(Path config, boolean named, InstantSource clock) {
        if (!Files.isDirectory(config)) {
            return List.of(
                    named
                            ? DoctorFinding.fail(
                                    "config",
                                    config + " is no directory: name another with --config.")
                            : DoctorFinding.ok("config", "None yet: 'up' writes the demo's."));
        }
        return new CatalogAndNodesFileCheck(config, clock).checkAll();
    }

    private List<DoctorFinding> checkAll() {
        catalogue.refreshUntilStable();
        new TreeMap<>(catalogue.profiles()).values().forEach(this::addProblems);
        new TreeMap<>(catalogue.manifests()).forEach(this::checkManifest);
        Path nodes = root.resolve("nodes.yaml");
        if (Files.exists(nodes)) {
            findings.addAll(DoctorFinding.runCheck("config", () -> checkNodes(nodes)));
        }
        if (findings.isEmpty()) {
            findings.add(
                    DoctorFinding.ok(
                            "config",
                            "%d chain profiles and %d manifests are good."
                                    .formatted(
                                            catalogue.profiles().size(),
                                            catalogue.manifests().size())));
        }
        return findings.stream().limit(MOST).toList();
    }

    private void addProblems(FileWithLastValidContent<?> state) {
        state.problems().forEach(problem -> addFinding("", problem));
    }

    private void checkManifest(String file, FileWithLastValidContent<?> state) {
        if (!state.problems().isEmpty()) {
            addProblems(state);
            return;
        }
        try {
            new ManifestValidator(catalogue)
                    .validate(
                            Files.readAllBytes(root.resolve(file)),
                            CatalogFileCache.expectedIds(file))
                    .problems()
                    .forEach(problem -> addFinding(file + ": ", problem));
        } catch (IOException e) {
            findings.add(
                    DoctorFinding.fail(
                            "config", file + " cannot be read: correct its permissions."));
        }
    }

    private void addFinding(String before, ValidationProblem problem) {
        String sentence = before + problem.format();
        findings.add(
                problem.isWarning()
                        ? DoctorFinding.warn("config", sentence)
                        : DoctorFinding.fail("config", sentence));
    }

    private List<DoctorFinding> checkNodes(Path file) {
        Map<String, ?> profiles = catalogue.profiles();
        return NodesFileReader.read(file).stream()
                .filter(node -> !profiles.containsKey("chains/" + node.chain() + ".yaml"))
                .map(PlannedNode::name)
                .map(
                        name ->
                                DoctorFinding.fail(
                                        "config",
                                        "nodes.yaml: the chain of node "
                                                + name
                                                + " has no profile in chains/: write it, or correct"
                                                + " the name."))
                .toList();
    }
}
