package drover.gateway.store;

import drover.gateway.identity.BlockReason;
import drover.gateway.identity.IssuedCertificate;
import drover.gateway.identity.JoinTokenMetadata;
import drover.gateway.identity.NodeRevocationCounts;
import drover.gateway.identity.PresentedCertificate;
import drover.gateway.identity.PresentedCertificate.Validity;
import drover.gateway.identity.StreamCredential;
import drover.gateway.session.NodeIdentity;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The double of {@link PostgresEnrollmentStore}, and of {@link PostgresCertificateStore}; the same
 * contract tests run against both.
 */
public final class InMemoryCredentialStore implements EnrollmentStore, NodeCertificateStore {
    private final InMemoryNodeStore nodes;
    private final InstantSource clock;
    private final Map<String, StoredJoinToken> tokens = new HashMap<>();
    private final Map<TokenAndPublicKey, IssuedCertificate> answers = new HashMap<>();
    private final Map<NodeId, Long> generations = new HashMap<>();
    private final Map<String, IssuedCertificate> certificates = new HashMap<>();
    private final Set<String> ended = new HashSet<>(); // serials
    private final Map<NodeId, LatestPresentedGeneration> newest = new HashMap<>();
    private final Map<String, Integer> givenAfter = new HashMap<>(); // serial -> retirements

    private record StoredJoinToken(JoinTokenMetadata grant, Digest secret) {}

    private record TokenAndPublicKey(String tokenId, Digest publicKey) {}

    private record LatestPresentedGeneration(long generation, Instant since) {}

    /** Empty, beside these nodes. */
    public InMemoryCredentialStore(InMemoryNodeStore nodes, InstantSource clock) {
        this.nodes = nodes;
        this.clock = clock;
    }

    @Override
    public synchronized void addJoinToken(JoinTokenMetadata token, Digest secret) {
        tokens.put(token.id(), new StoredJoinToken(token, secret));
    }

    @Override
    public synchronized List<JoinTokenMetadata> listJoinTokens() {
        Instant oldest = clock.instant().minus(LIST_RETENTION);
        return tokens.values().stream()
                .map(StoredJoinToken::grant)
                .filter(token -> token.createdAt().isAfter(oldest))
                .sorted(
                        Comparator.comparing(JoinTokenMetadata::createdAt)
                                .reversed()
                                .thenComparing(JoinTokenMetadata::id))
                .limit(MAX_LISTED)
                .toList();
    }

    @Override
    public synchronized Optional<JoinTokenMetadata> revoke(String tokenId, String by) {
        return Optional.ofNullable(
                        tokens.computeIfPresent(
                                tokenId,
                                (_, kept) ->
                                        kept.grant().revokedAt().isPresent()
                                                ? kept
                                                : new StoredJoinToken(
                                                        withUsesAndRevocation(
                                                                kept.grant(),
                                                                kept.grant().uses(),
                                                                Optional.of(clock.instant()),
                                                                by),
                                                        kept.secret())))
                .map(StoredJoinToken::grant);
    }

    @Override
    public synchronized EnrollmentResult enroll(
            EnrollmentRequest showing, CertificateIssuer issuer) {
        StoredJoinToken kept = tokens.get(showing.tokenId());
        if (kept == null || !kept.secret().equals(showing.secret())) {
            return new EnrollmentResult.UnknownToken();
        }
        JoinTokenMetadata token = kept.grant();
        IssuedCertificate before =
                answers.get(new TokenAndPublicKey(token.id(), showing.publicKey()));
        boolean over =
                token.revokedAt().isPresent() || !clock.instant().isBefore(token.expiresAt());
        if (before != null && !over) {
            return EnrollmentStore.repeatedResult(before, showing);
        }
        return switch (token.validityAt(clock.instant())) {
            case JoinTokenMetadata.Validity.Unusable(String sentence) ->
                    new EnrollmentResult.UnusableToken(sentence);
            case JoinTokenMetadata.Validity.Valid() -> enrollNode(kept, showing, issuer);
        };
    }

    private EnrollmentResult enrollNode(
            StoredJoinToken kept, EnrollmentRequest showing, CertificateIssuer issuer) {
        JoinTokenMetadata token = kept.grant();
        if (showing.changesNode(token.node())) {
            return new EnrollmentResult.MachineAlreadyEnrolled(token.node());
        }
        NodeId node = token.node().orElse(showing.generatedNode());
        NodeIdentity wanted = new NodeIdentity(node, token.chain(), token.type(), token.labels());
        Optional<NodeIdentity> another = nodes.enrollOrFindConflict(wanted);
        if (another.isPresent()) {
            return new EnrollmentResult.ChainOrTypeConflict(another.get());
        }
        endCertificates(node);
        IssuedCertificate given = issueCertificate(node, issuer);
        answers.put(new TokenAndPublicKey(token.id(), showing.publicKey()), given);
        tokens.put(
                token.id(),
                new StoredJoinToken(
                        withUsesAndRevocation(
                                token, token.uses() + 1, token.revokedAt(), token.revokedBy()),
                        kept.secret()));
        return new EnrollmentResult.EnrolledWithCertificate(given);
    }

    private IssuedCertificate issueCertificate(NodeId node, CertificateIssuer issuer) {
        IssuedCertificate given = issuer.issue(node, generations.merge(node, 1L, Long::sum));
        certificates.put(given.serial(), given);
        givenAfter.put(given.serial(), nodes.retirementCount(node));
        return given;
    }

    /** How many were good until then. */
    private int endCertificates(NodeId node) {
        List<IssuedCertificate> good =
                certificates.values().stream()
                        .filter(given -> given.node().equals(node))
                        .filter(given -> !isEnded(given))
                        .toList();
        good.forEach(given -> ended.add(given.serial()));
        return (int) good.stream().filter(given -> isUnexpired(given, Duration.ZERO)).count();
    }

    private boolean isEnded(IssuedCertificate given) {
        boolean retiredSince =
                givenAfter.getOrDefault(given.serial(), 0) < nodes.retirementCount(given.node());
        return retiredSince || ended.contains(given.serial());
    }

    private boolean isUnexpired(IssuedCertificate given, Duration longer) {
        return given.expiresAt().plus(longer).isAfter(clock.instant());
    }

    @Override
    public synchronized Optional<PresentedIdentity> recordPresentedAndLockCopied(String serial) {
        Optional<PresentedIdentity> shown =
                Optional.ofNullable(certificates.get(serial)).map(this::recordFirstUse);
        shown.filter(it -> it.certificate().validityAt(it.now()) instanceof Validity.PossiblyCopied)
                .ifPresent(copy -> lockNode(copy.node().id()));
        return shown;
    }

    private void lockNode(NodeId node) {
        var _ = nodes.block(node, BlockReason.COPIED);
        var _ = endCertificates(node);
        var _ = revokeJoinTokens(node, LOCKED_BY);
    }

    private PresentedIdentity recordFirstUse(IssuedCertificate given) {
        NodeId node = given.node();
        LatestPresentedGeneration before =
                newest.getOrDefault(node, new LatestPresentedGeneration(0, clock.instant()));
        if (mayConnect(given) && given.generation() > before.generation()) {
            before = new LatestPresentedGeneration(given.generation(), clock.instant());
            newest.put(node, before);
        }
        return new PresentedIdentity(
                nodes.identity(node),
                new PresentedCertificate(
                        node,
                        given.generation(),
                        before.generation(),
                        before.since(),
                        isEnded(given),
                        nodes.isRetired(node),
                        nodes.block(node)),
                clock.instant());
    }

    private boolean mayConnect(IssuedCertificate given) {
        return !isEnded(given) && !nodes.isBlocked(given.node()) && !nodes.isRetired(given.node());
    }

    @Override
    public synchronized Optional<IssuedCertificate> renew(
            String serial, Digest publicKey, CertificateIssuer issuer) {
        IssuedCertificate present = certificates.get(serial);
        if (present == null || !mayConnect(present) || isSuperseded(present)) {
            return Optional.empty();
        }
        NodeId node = present.node();
        Optional<IssuedCertificate> before =
                certificates.values().stream()
                        .filter(given -> given.node().equals(node))
                        .filter(given -> given.publicKey().equals(publicKey))
                        .findFirst();
        long unshown = generations.getOrDefault(node, 0L) - latestPresentedGeneration(node);
        return before.isPresent() || unshown >= MAX_UNUSED
                ? before
                : Optional.of(issueCertificate(node, issuer));
    }

    private boolean isSuperseded(IssuedCertificate given) {
        return given.generation() < latestPresentedGeneration(given.node());
    }

    private long latestPresentedGeneration(NodeId node) {
        return Optional.ofNullable(newest.get(node))
                .map(LatestPresentedGeneration::generation)
                .orElse(0L);
    }

    @Override
    public synchronized Optional<NodeRevocationCounts> revokeNode(NodeId node, String by) {
        return nodes.block(node, BlockReason.REVOKED)
                ? Optional.of(
                        new NodeRevocationCounts(endCertificates(node), revokeJoinTokens(node, by)))
                : Optional.empty();
    }

    private int revokeJoinTokens(NodeId node, String by) {
        List<String> open =
                tokens.values().stream()
                        .map(StoredJoinToken::grant)
                        .filter(token -> token.node().filter(node::equals).isPresent())
                        .filter(
                                token ->
                                        token.validityAt(clock.instant())
                                                instanceof JoinTokenMetadata.Validity.Valid)
                        .map(JoinTokenMetadata::id)
                        .toList();
        open.forEach(
                token -> {
                    var _ = revoke(token, by);
                });
        return open.size();
    }

    @Override
    public synchronized Set<StreamCredential> findRevokedCredentials(
            Collection<StreamCredential.NodeTokenDigest> shown) {
        Set<StreamCredential> over = new HashSet<>();
        certificates.values().stream()
                .filter(given -> isEnded(given) && isUnexpired(given, MAX_CLOCK_SKEW))
                .forEach(given -> over.add(new StreamCredential.Certificate(given.serial())));
        shown.stream()
                .filter(token -> nodes.findTokenOwner(token.sha256()).isEmpty())
                .forEach(over::add);
        return over;
    }

    @Override
    public synchronized List<NodeId> listLockedNodes() {
        return nodes.blockedNodes(BlockReason.COPIED).stream().limit(MAX_LOCKED).toList();
    }

    private static JoinTokenMetadata withUsesAndRevocation(
            JoinTokenMetadata token, int uses, Optional<Instant> revokedAt, String revokedBy) {
        return new JoinTokenMetadata(
                token.id(),
                token.node(),
                token.chain(),
                token.type(),
                token.labels(),
                token.maxUses(),
                uses,
                token.createdBy(),
                token.createdAt(),
                token.expiresAt(),
                revokedAt,
                revokedBy);
    }
}
