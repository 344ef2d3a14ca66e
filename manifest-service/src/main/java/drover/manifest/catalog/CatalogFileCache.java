package drover.manifest.catalog;

import drover.manifest.parse.ExpectedIds;
import drover.manifest.parse.LoadedTemplateFiles;
import drover.manifest.parse.Manifest;
import drover.manifest.parse.ManifestParser;
import drover.manifest.parse.ManifestReleaseConverter;
import drover.manifest.parse.Profile;
import drover.manifest.parse.ProfileParser;
import drover.manifest.source.ConfigDirectory;
import drover.manifest.source.FileLimits;
import drover.manifest.source.FileTextDecoder;
import drover.model.ChainProfileId;
import drover.model.UpgradeId;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Content of the configuration directory. A request for one file reads the disk first, so that a
 * rollout that is created right after a file was saved uses that file. If a file has changed, the
 * request waits until the file is stable. {@link #refresh} scans all files once.
 */
public final class CatalogFileCache {
    private static final Logger LOG = LoggerFactory.getLogger(CatalogFileCache.class);
    private static final String ENDING = ".yaml";
    private static final Pattern NAME =
            Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?");

    /** Most waits of one request for files that change. */
    private static final int MAX_WAITS = 3;

    private final ConfigDirectory directory;
    private final Sleeper ticker;
    private final LastValidFileCache<Manifest> manifests;
    private final LastValidFileCache<Profile> profiles;

    public CatalogFileCache(ConfigDirectory directory, InstantSource clock) {
        this(directory, clock, Sleeper.SYSTEM);
    }

    CatalogFileCache(ConfigDirectory directory, InstantSource clock, Sleeper ticker) {
        this.directory = directory;
        this.ticker = ticker;
        manifests =
                new LastValidFileCache<>(
                        directory,
                        clock,
                        (document, hash, file) ->
                                ManifestParser.parse(document, expectedIds(file), hash, file));
        profiles =
                new LastValidFileCache<>(
                        directory,
                        clock,
                        (document, hash, file) ->
                                ProfileParser.parse(
                                        document, new ChainProfileId(baseName(file)), hash, file));
    }

    /** Scans the whole directory, and again after a pause while files change. */
    public void refreshUntilStable() {
        retryUntilStable(
                () -> {
                    refresh();
                    return Stream.concat(
                                    manifests.states().values().stream(),
                                    profiles.states().values().stream())
                            .allMatch(FileWithLastValidContent::stable);
                });
    }

    /** Repeats a reading, with pauses, until it found nothing that changes. */
    private void retryUntilStable(BooleanSupplier reading) {
        try {
            for (int waits = 0; !reading.getAsBoolean() && waits < MAX_WAITS; waits++) {
                ticker.sleep(FileWithLastValidContent.STABLE_AFTER);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the request ends with what is known
        }
    }

    private <T> Optional<FileWithLastValidContent<T>> refreshFileUntilStable(
            LastValidFileCache<T> table, String file) {
        retryUntilStable(
                () -> table.refresh(file).map(FileWithLastValidContent::stable).orElse(true));
        return Optional.ofNullable(table.states().get(file));
    }

    /** Scans the whole directory once; when it cannot be listed everything known stays. */
    public void refresh() {
        try {
            profiles.refreshAndRetainOnly(yamlFiles("chains"));
            Set<String> files = new TreeSet<>();
            for (String chain : directory.listVisibleNames("upgrades")) {
                if (NAME.matcher(chain).matches() && files.size() < FileLimits.MOST_FILES) {
                    files.addAll(yamlFiles("upgrades/" + chain));
                }
            }
            manifests.refreshAndRetainOnly(files);
        } catch (IOException e) {
            LOG.warn("The configuration directory cannot be listed reason={}", e.toString());
        }
    }

    private Set<String> yamlFiles(String folder) throws IOException {
        Set<String> files = new TreeSet<>();
        for (String name : directory.listVisibleNames(folder)) {
            // a file whose name is no id can never be asked for
            if (name.endsWith(ENDING) && NAME.matcher(baseName(name)).matches()) {
                files.add(folder + "/" + name);
            }
        }
        return files;
    }

    /** One manifest file as it is now; empty when there is none. */
    public Optional<FileWithLastValidContent<Manifest>> readManifest(
            ChainProfileId chain, UpgradeId id) {
        return refreshFileUntilStable(manifests, "upgrades/" + chain + "/" + id + ENDING);
    }

    /**
     * The signed release beside a manifest, always read anew; empty when nobody signed. One that
     * cannot be read, or is longer than {@link ManifestReleaseConverter#LARGEST}, comes as one byte
     * more than that, so that nobody takes it for none.
     */
    public Optional<byte[]> readRelease(ChainProfileId chain, UpgradeId id) {
        String file = "upgrades/" + chain + "/" + id + ManifestReleaseConverter.ENDING;
        try {
            return directory.readUpToLimit(file).map(CatalogFileCache::truncateToLimitPlusOne);
        } catch (IOException e) {
            LOG.warn("A signed release cannot be read file={} reason={}", file, e.toString());
            return Optional.of(new byte[ManifestReleaseConverter.LARGEST + 1]);
        }
    }

    private static byte[] truncateToLimitPlusOne(byte[] bytes) {
        return Arrays.copyOf(bytes, Math.min(bytes.length, ManifestReleaseConverter.LARGEST + 1));
    }

    /** One profile file as it is now; empty when there is none. */
    public Optional<FileWithLastValidContent<Profile>> readProfile(ChainProfileId id) {
        return refreshFileUntilStable(profiles, "chains/" + id + ENDING);
    }

    /** All manifest files as last seen, by their paths. */
    public Map<String, FileWithLastValidContent<Manifest>> manifests() {
        return Map.copyOf(manifests.states());
    }

    /** All profile files as last seen, by their paths. */
    public Map<String, FileWithLastValidContent<Profile>> profiles() {
        return Map.copyOf(profiles.states());
    }

    /**
     * The template files of these names: {@code templates/CHAIN/NAME}, else {@code templates/NAME}.
     * Always read anew.
     */
    public LoadedTemplateFiles readTemplates(ChainProfileId chain, Set<String> names) {
        Map<String, String> texts = new HashMap<>();
        Map<String, String> unusable = new HashMap<>();
        for (String name : names) {
            try {
                Optional<byte[]> own = directory.readUpToLimit("templates/" + chain + "/" + name);
                Optional<byte[]> bytes =
                        own.isPresent() ? own : directory.readUpToLimit("templates/" + name);
                if (bytes.isPresent()) {
                    texts.put(name, FileTextDecoder.decode(bytes.get()));
                }
            } catch (FileTextDecoder.TooLargeOrNotUtf8 e) {
                unusable.put(name, "The template file '" + name + "' " + e.getMessage());
            } catch (IOException e) {
                LOG.warn("A template cannot be read template={} reason={}", name, e.toString());
                unusable.put(
                        name,
                        "The template file '"
                                + name
                                + "' cannot be read: correct its permissions.");
            }
        }
        return new LoadedTemplateFiles(texts, unusable);
    }

    /** The ids that the place of a manifest file says. */
    public static ExpectedIds expectedIds(String file) {
        int folder = file.indexOf('/') + 1;
        return new ExpectedIds(file.substring(folder, file.lastIndexOf('/')), baseName(file));
    }

    /** The name of a file without folder and ending. */
    public static String baseName(String file) {
        return file.substring(file.lastIndexOf('/') + 1, file.length() - ENDING.length());
    }
}
