package drover.manifest.parse;

import drover.manifest.document.FieldLocation;
import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.manifest.document.YamlNode;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.NodeType;
import drover.model.UpgradeId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Turns a located tree into a {@link Manifest} or into every problem it has (seed 000; invariant
 * H10: unknown fields, wrong types and blank required fields are errors).
 */
public final class ManifestParser {
    private static final Pattern PLATFORM = Pattern.compile("[a-z0-9]{1,20}/[a-z0-9_]{1,20}");
    private static final List<String> MIGRATIONS = List.of("none", "compatible", "breaking");
    private static final int MOST_PLATFORMS = 20;

    private final ProblemCollector problems;
    private final FieldReader reader;

    private ManifestParser(YamlNode document, ProblemCollector problems) {
        this.problems = problems;
        reader = FieldReader.of(document, problems);
    }

    /**
     * Parses a manifest.
     *
     * @param expected what the file's place says its ids are
     * @param contentHash over the raw bytes
     */
    public static ParseResult<Manifest> parse(
            YamlNode document, ExpectedIds expected, Digest contentHash, String file) {
        ProblemCollector problems = new ProblemCollector(file);
        Manifest manifest =
                new ManifestParser(document, problems).parseManifest(expected, contentHash);
        ManifestRules.check(manifest, document.location(), problems);
        return ParseResult.of(problems, () -> manifest);
    }

    private Manifest parseManifest(ExpectedIds expected, Digest contentHash) {
        UpgradeId upgradeId =
                reader.requiredValue("upgrade_id", UpgradeId::new, new UpgradeId("x"));
        ChainProfileId chain =
                reader.requiredValue(
                        "chain_profile_id", ChainProfileId::new, new ChainProfileId("x"));
        checkMatchesPath("upgrade_id", upgradeId.value(), expected.upgradeId(), "file is named");
        checkMatchesPath("chain_profile_id", chain.value(), expected.chain(), "folder is named");
        NodeType nodeType = reader.requiredValue("node_type", NodeType::new, new NodeType("x"));
        BinaryName binary =
                reader.requiredValue("binary_name", BinaryName::new, new BinaryName("x"));
        Version version = reader.requiredValue("target_version", Version::new, new Version("x"));
        Optional<Artifact> everywhere = parseDefaultArtifact();
        Map<String, Artifact> perPlatform = parsePlatformArtifacts();
        StateCompatibility state = parseStateCompatibility();
        String recoveryPlan = reader.textOrFallback("recovery_plan", "");
        List<TemplatedConfigFile> changes = ConfigChangeParser.parseChanges(reader, problems);
        ExpectedFailures noSurprise = ExpectedFailures.read(reader, problems);
        reader.addUnknownKeyProblems();
        return new Manifest(
                upgradeId,
                chain,
                nodeType,
                binary,
                version,
                everywhere,
                perPlatform,
                state.migration(),
                state.notes(),
                recoveryPlan,
                changes,
                noSurprise,
                contentHash);
    }

    private void checkMatchesPath(String key, String written, String expected, String what) {
        if (!expected.isEmpty()
                && !reader.textOrEmpty(key).isBlank()
                && !written.equals(expected)) {
            problems.add(
                    reader.locationOf(key),
                    ProblemCode.PLACE_MISMATCH,
                    "The " + what + " '" + expected + "': write the same here, or move the file.");
        }
    }

    /** Required unless artifacts are given per platform. */
    private Optional<Artifact> parseDefaultArtifact() {
        boolean given =
                reader.has("target_url")
                        || reader.has("target_checksum")
                        || reader.has("target_size");
        if (!given && reader.has("artifacts")) {
            return Optional.empty();
        }
        return Optional.of(
                ArtifactParser.read(
                        reader, "target_url", "target_checksum", "target_size", problems));
    }

    private Map<String, Artifact> parsePlatformArtifacts() {
        Map<String, Artifact> artifacts = new LinkedHashMap<>();
        Optional<YamlNode> node = reader.node("artifacts");
        if (node.isEmpty()) {
            return artifacts;
        }
        if (!(node.get()
                        instanceof
                        YamlNode.Mapping(FieldLocation at, List<YamlNode.Entry> platforms))
                || platforms.isEmpty()
                || platforms.size() > MOST_PLATFORMS) {
            problems.add(
                    node.get().location(),
                    ProblemCode.WRONG_TYPE,
                    "Write a mapping of 1 to 20 platforms, such as linux/arm64, to url, checksum"
                            + " and size.");
            return artifacts;
        }
        for (YamlNode.Entry platform : platforms) {
            if (!PLATFORM.matcher(platform.key()).matches()) {
                problems.add(
                        platform.keyLocation(),
                        ProblemCode.MALFORMED_NAME,
                        "'"
                                + FieldReader.shorten(platform.key())
                                + "' is no platform: write one such as linux/amd64.");
            }
            FieldReader fields = FieldReader.of(platform.value(), problems);
            artifacts.put(
                    platform.key(),
                    ArtifactParser.read(fields, "url", "checksum", "size", problems));
            fields.addUnknownKeyProblems();
        }
        return artifacts;
    }

    private record StateCompatibility(MigrationType migration, String notes) {}

    private StateCompatibility parseStateCompatibility() {
        Optional<YamlNode> node = reader.node("state_compatibility");
        if (node.isEmpty()) {
            return new StateCompatibility(MigrationType.NONE, "");
        }
        FieldReader fields = FieldReader.of(node.get(), problems);
        String word = fields.allowedTextOrFallback("migration_type", "none", MIGRATIONS);
        String notes = fields.textOrEmpty("notes");
        fields.addUnknownKeyProblems();
        MigrationType migration =
                word.isEmpty()
                        ? MigrationType.NONE
                        : MigrationType.valueOf(word.toUpperCase(Locale.ROOT));
        return new StateCompatibility(migration, notes);
    }
}
