package drover.opsagent.trust;

import drover.model.ChainProfileId;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import drover.opsagent.trust.TrustRecord.TrustedArtifact;
import drover.trust.release.InstallRequest;
import drover.trust.release.NotTrusted;
import drover.trust.release.RejectionReason;
import drover.trust.release.Release;
import drover.trust.release.ReleaseArtifact;
import drover.trust.release.ReleaseLaunchSpec;
import drover.trust.release.ReleaseVerifier;
import drover.trust.release.Root;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gate of a node whose owner asks for signatures. Chain, type and platform are the node's own
 * knowledge; everything else must stand in the release and in the command alike (E7).
 */
public final class SignedReleaseAuthorizer implements ReleaseAuthorizerAndRecorder {
    private static final Logger LOG = LoggerFactory.getLogger(SignedReleaseAuthorizer.class);

    private final SignaturePolicy.VerifyReleases policy;
    private final RootOfTrustStore store;
    private final StateDirectory state;
    private final String platform;
    private final Ticker ticker;

    SignedReleaseAuthorizer(
            SignaturePolicy.VerifyReleases demand,
            RootOfTrustStore store,
            StateDirectory state,
            String platform,
            Ticker ticker) {
        this.policy = demand;
        this.store = store;
        this.state = state;
        this.platform = platform;
        this.ticker = ticker;
    }

    /** The gate that a policy asks for. */
    public static ReleaseAuthorizerAndRecorder of(
            SignaturePolicy demand, StateDirectory state, String platform, Ticker ticker) {
        return switch (demand) {
            case SignaturePolicy.None _ -> ReleaseAuthorizerAndRecorder.ALLOW_ALL;
            case SignaturePolicy.VerifyReleases requested ->
                    new SignedReleaseAuthorizer(
                            requested,
                            new RootOfTrustStore(state, requested),
                            state,
                            platform,
                            ticker);
        };
    }

    @Override
    public long authorizeAndGetSize(Work.Install upgrade, byte[] release) {
        if (upgrade.undoes() != 0) {
            requireRollbackAllowed(upgrade);
            return 0;
        }
        if (release.length == 0 && !policy.required()) {
            return 0;
        }
        TrustRecord before = store.loadAndUpdateRoot();
        try {
            return verifyAndGetSize(upgrade, release, before);
        } catch (NotTrusted e) {
            LOG.warn(
                    "A release is not believed program={} attack={} reason={}",
                    upgrade.programName(),
                    e.reason().displayName(),
                    toReasonCode(e.reason()));
            throw new ActionFailed(toReasonCode(e.reason()), e.sentence());
        }
    }

    @Override
    public long dryRunAndGetSize(Work.Install work, byte[] release) {
        return new SignedReleaseAuthorizer(policy, store.asReadOnly(), state, platform, ticker)
                .authorizeAndGetSize(work, release);
    }

    private long verifyAndGetSize(Work.Install upgrade, byte[] release, TrustRecord before) {
        if (release.length == 0) {
            throw new ActionFailed(
                    ReasonCode.SIGNATURE_MISSING,
                    "This node takes signed releases alone, and none came along: run drover"
                            + " manifest sign, then create the rollout again.");
        }
        Instant now = ticker.wallClock();
        Root root = RootOfTrustStore.parseRoot(before);
        requireNotExpired(root, now);
        Release trusted = ReleaseVerifier.verify(release, root, now).release();
        ReleaseArtifact artifact = ReleaseVerifier.requireMatch(trusted, toInstallRequest(upgrade));
        requireTrustedLaunch(trusted, upgrade);
        ReleaseVerifier.requireNoDowngrade(
                trusted, before.watermark(releaseChain(upgrade).value(), upgrade.programName()));
        TrustRecord after = before.withRelease(trusted, artifact.digest());
        if (!after.equals(before)) {
            store.saveIfWritable(after); // before anything is begun on its strength
        }
        return artifact.length();
    }

    /** A command line and probes that nobody signed are those that the node has already. */
    private void requireTrustedLaunch(Release release, Work.Install install) {
        if (install instanceof Work.Upgrade upgrade) {
            ProgramProfile present = state.loadProfile().findProgram(upgrade.programName());
            if (present != null) {
                ReleaseLaunchSpec.requireCoveredOrUnchanged(
                        release.launch(), upgrade.spec(), present.spec());
            }
        }
    }

    private static void requireNotExpired(Root root, Instant now) {
        if (!now.isBefore(root.expires())) {
            throw new ActionFailed(
                    ReasonCode.TRUST_UNUSABLE,
                    "Root of trust "
                            + root.version()
                            + " expired at "
                            + root.expires()
                            + ": put the next one on the node (freeze).");
        }
    }

    private InstallRequest toInstallRequest(Work.Install upgrade) {
        Artifact artifact = upgrade.artifact();
        List<NodePath> paths = upgrade.files().stream().map(ConfigFile::path).toList();
        return new InstallRequest(
                releaseChain(upgrade),
                policy.nodeType(),
                platform,
                new BinaryName(upgrade.programName()),
                upgrade.targetVersion(),
                artifact.digest(),
                artifact.size(),
                paths);
    }

    /**
     * What ran before is fetched anew. Only what this node has once believed, that may be gone back
     * to, and that is not below a floor (E8); its expiry does not matter any more, for expiry keeps
     * a node from being left behind, and this node was further already. A way back from the node's
     * own backup never comes here: it fetches nothing.
     */
    private void requireRollbackAllowed(Work.Install upgrade) {
        if (!policy.required()) {
            return;
        }
        TrustRecord record = store.loadAndUpdateRoot();
        String chain = releaseChain(upgrade).value();
        Optional<TrustedArtifact> known =
                record.findTrustedArtifact(
                        chain, upgrade.programName(), upgrade.artifact().digest());
        long floor = record.watermark(chain, upgrade.programName()).minimumReleaseNumber();
        if (known.isEmpty()) {
            throw new ActionFailed(
                    ReasonCode.SIGNATURE_MISSING,
                    "There is no backup, and this node never saw a signed release of what ran"
                            + " before: roll it out as a signed release.");
        }
        if (!known.get().rollbackAllowed() || known.get().counter() < floor) {
            throw new ActionFailed(
                    ReasonCode.RELEASE_TOO_OLD,
                    "There is no backup, and what ran before is not signed as a release to go back"
                            + " to, or is below the floor: roll out a later one (rollback).");
        }
    }

    /** Agents are released for themselves, whatever chain their nodes are of. */
    private ChainProfileId releaseChain(Work.Install work) {
        return switch (work) {
            case Work.Upgrade _ -> policy.chain();
            case Work.AgentUpgrade _ -> new ChainProfileId(BinaryName.AGENT.value());
        };
    }

    private static ReasonCode toReasonCode(RejectionReason attack) {
        return switch (attack) {
            case UNSIGNED -> ReasonCode.SIGNATURE_MISSING;
            case MALFORMED, WRONG_TYPE, WRONG_KEY, TOO_FEW_SIGNATURES, ALTERED ->
                    ReasonCode.SIGNATURE_INVALID;
            case FREEZE, EXPIRED -> ReasonCode.RELEASE_EXPIRED;
            case ROLLBACK -> ReasonCode.RELEASE_TOO_OLD;
            case MIX_AND_MATCH -> ReasonCode.RELEASE_DIFFERS;
        };
    }
}
