package drover.manifest.parse;

import drover.model.NodePath;
import drover.trust.release.Envelope;
import drover.trust.release.NotTrusted;
import drover.trust.release.Release;
import drover.trust.release.ReleaseArtifact;
import drover.trust.release.ReleaseLaunchSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What people sign of a manifest, and whether what they signed is still what it says. */
public final class ManifestReleaseConverter {
    /** Ending of the file beside a manifest. */
    public static final String ENDING = ".dsse.json";

    /** Bytes of that file: it is frozen into the work of every node, and a real one has 10 KiB. */
    public static final int LARGEST = 64 * 1024;

    private ManifestReleaseConverter() {}

    /**
     * What a manifest does not say, and who signs it decides.
     *
     * @param releaseNumber grows with every release of the program
     * @param minimumReleaseNumber no lower counter may be installed afterwards
     * @param additionalPaths configuration files that may be written besides those of the manifest
     * @param launch command line and probes; null if nodes keep those that they have
     */
    public record SignerDecidedTerms(
            long releaseNumber,
            long minimumReleaseNumber,
            boolean rollbackAllowed,
            Instant expires,
            List<NodePath> additionalPaths,
            @Nullable ReleaseLaunchSpec launch) {
        public SignerDecidedTerms {
            additionalPaths = List.copyOf(additionalPaths);
        }

        /** Terms with which nodes keep command lines and probes. */
        public SignerDecidedTerms(
                long counter,
                long floor,
                boolean rollbackAllowed,
                Instant expires,
                List<NodePath> morePaths) {
            this(counter, floor, rollbackAllowed, expires, morePaths, null);
        }

        /** The terms of a release that was signed before. */
        public static SignerDecidedTerms of(Release release) {
            return new SignerDecidedTerms(
                    release.releaseNumber(),
                    release.minimumReleaseNumber(),
                    release.rollbackAllowed(),
                    release.expires(),
                    release.configPaths(),
                    release.launch());
        }
    }

    /** The release of a manifest on these terms. */
    public static Release toRelease(Manifest manifest, SignerDecidedTerms terms) {
        List<ReleaseArtifact> artifacts = new ArrayList<>();
        manifest.defaultArtifact()
                .ifPresent(one -> artifacts.add(toReleaseArtifact(ReleaseArtifact.ANY, one)));
        for (Map.Entry<String, Artifact> one :
                new TreeMap<>(manifest.platformArtifacts()).entrySet()) {
            artifacts.add(toReleaseArtifact(one.getKey(), one.getValue()));
        }
        List<NodePath> paths = new ArrayList<>(terms.additionalPaths());
        manifest.configChanges().forEach(change -> paths.add(change.path()));
        Release release =
                new Release(
                        manifest.chain(),
                        List.of(manifest.nodeType()),
                        manifest.binary(),
                        manifest.targetVersion(),
                        terms.releaseNumber(),
                        terms.minimumReleaseNumber(),
                        terms.rollbackAllowed(),
                        terms.expires(),
                        artifacts,
                        paths,
                        manifest.recoveryPlan());
        return release.withLaunch(terms.launch());
    }

    /**
     * Command line and probes of a program, to be signed.
     *
     * @throws NotTrusted if a template is more than plain variables
     */
    public static ReleaseLaunchSpec toReleaseLaunch(ProgramTemplate program) {
        return new ReleaseLaunchSpec(
                program.path(),
                program.service(),
                program.arguments(),
                program.environment(),
                program.user(),
                program.identity(),
                Stream.concat(
                                program.probes().stream().map(probe -> probeWords(probe.check())),
                                program.cluster().stream()
                                        .map(ManifestReleaseConverter::clusterWords))
                        .toList(),
                program.stop());
    }

    private static List<String> probeWords(ProbeTemplate.Check check) {
        return switch (check) {
            case ProbeTemplate.Check.ProcessAlive() -> List.of("process");
            case ProbeTemplate.Check.Tcp(String host, String port) -> List.of("tcp", host, port);
            case ProbeTemplate.Check.Http http ->
                    List.of(
                            "http",
                            http.url(),
                            Integer.toString(http.status()),
                            http.jsonPointer(),
                            http.equalTo());
            case ProbeTemplate.Check.Exec(List<String> command) ->
                    Stream.concat(Stream.of("exec"), command.stream()).toList();
        };
    }

    private static List<String> clusterWords(ClusterProbeTemplate probe) {
        return ReleaseLaunchSpec.clusterWords(
                probe.driver(),
                probe.endpoint(),
                List.of(probe.caFile(), probe.certFile(), probe.keyFile(), probe.userFile()));
    }

    private static ReleaseArtifact toReleaseArtifact(String platform, Artifact artifact) {
        return new ReleaseArtifact(platform, artifact.checksum(), artifact.size());
    }

    /**
     * Why a release is not that of a manifest; empty when it is. Nothing is verified: who may sign
     * is known on nodes alone.
     */
    public static Optional<String> difference(byte[] envelope, Manifest manifest) {
        try {
            Envelope read = Envelope.parse(envelope, LARGEST);
            if (!read.type().equals(Envelope.RELEASE)) {
                return Optional.of("it holds no release but " + read.type());
            }
            Release signed = Release.parse(read.payload());
            return difference(signed, toRelease(manifest, SignerDecidedTerms.of(signed)));
        } catch (NotTrusted e) {
            return Optional.of("it cannot be read (" + e.reason().displayName() + ")");
        }
    }

    private static Optional<String> difference(Release signed, Release now) {
        Map<String, Boolean> parts = new TreeMap<>();
        parts.put("chain", signed.chain().equals(now.chain()));
        parts.put("node type", signed.nodeTypes().equals(now.nodeTypes()));
        parts.put("program", signed.program().equals(now.program()));
        parts.put("version", signed.version().equals(now.version()));
        parts.put(
                "artifacts",
                new HashSet<>(signed.artifacts()).equals(new HashSet<>(now.artifacts())));
        parts.put("configuration files", signed.configPaths().equals(now.configPaths()));
        parts.put("recovery plan", signed.recoveryPlan().equals(now.recoveryPlan()));
        List<String> differing =
                parts.entrySet().stream()
                        .filter(it -> !it.getValue())
                        .map(Map.Entry::getKey)
                        .toList();
        return differing.isEmpty()
                ? Optional.empty()
                : Optional.of("it differs in " + String.join(", ", differing));
    }
}
