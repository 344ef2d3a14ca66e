package drover.gateway.store;

import drover.gateway.identity.Bar;
import drover.gateway.identity.GivenCertificate;
import drover.gateway.identity.JoinGrant;
import drover.gateway.identity.Proof;
import drover.gateway.identity.Revocation;
import drover.gateway.identity.ShownCertificate;
import drover.gateway.identity.ShownCertificate.Worth;
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
 * The double of {@link PostgresIdentityStore}, and of {@link PostgresCertificateStore}; the same
 * contract tests run against both.
 */
public final class InMemoryIdentityStore implements IdentityStore, CertificateStore {
    private final InMemoryNodeStore nodes;
    private final InstantSource clock;
    private final Map<String, Kept> tokens = new HashMap<>();
    private final Map<Answered, GivenCertificate> answers = new HashMap<>();
    private final Map<NodeId, Long> generations = new HashMap<>();
    private final Map<String, GivenCertificate> certificates = new HashMap<>();
    private final Set<String> ended = new HashSet<>(); // serials
    private final Map<NodeId, Newest> newest = new HashMap<>();
    private final Map<String, Integer> givenAfter = new HashMap<>(); // serial -> retirements

    private record Kept(JoinGrant grant, Digest secret) {}

    private record Answered(String tokenId, Digest publicKey) {}

    private record Newest(long generation, Instant since) {}

    /** Empty, beside these nodes. */
    public InMemoryIdentityStore(InMemoryNodeStore nodes, InstantSource clock) {
        this.nodes = nodes;
        this.clock = clock;
    }

    @Override
    public synchronized void grant(JoinGrant token, Digest secret) {
        tokens.put(token.id(), new Kept(token, secret));
    }

    @Override
    public synchronized List<JoinGrant> grants() {
        Instant oldest = clock.instant().minus(LISTED);
        return tokens.values().stream()
                .map(Kept::grant)
                .filter(token -> token.createdAt().isAfter(oldest))
                .sorted(
                        Comparator.comparing(JoinGrant::createdAt)
                                .reversed()
                                .thenComparing(JoinGrant::id))
                .limit(LARGEST_LIST)
                .toList();
    }

    @Override
    public synchronized Optional<JoinGrant> revoke(String tokenId, String by) {
        return Optional.ofNullable(
                        tokens.computeIfPresent(
                                tokenId,
                                (_, kept) ->
                                        kept.grant().revokedAt().isPresent()
                                                ? kept
                                                : new Kept(
                                                        changed(
                                                                kept.grant(),
                                                                kept.grant().uses(),
                                                                Optional.of(clock.instant()),
                                                                by),
                                                        kept.secret())))
                .map(Kept::grant);
    }

    @Override
    public synchronized Enrolment enrol(Showing showing, Issuer issuer) {
        Kept kept = tokens.get(showing.tokenId());
        if (kept == null || !kept.secret().equals(showing.secret())) {
            return new Enrolment.Unknown();
        }
        JoinGrant token = kept.grant();
        GivenCertificate before = answers.get(new Answered(token.id(), showing.publicKey()));
        boolean over =
                token.revokedAt().isPresent() || !clock.instant().isBefore(token.expiresAt());
        if (before != null && !over) {
            return IdentityStore.answeredBefore(before, showing);
        }
        return switch (token.at(clock.instant())) {
            case JoinGrant.Standing.Spent(String sentence) -> new Enrolment.Spent(sentence);
            case JoinGrant.Standing.Good() -> make(kept, showing, issuer);
        };
    }

    private Enrolment make(Kept kept, Showing showing, Issuer issuer) {
        JoinGrant token = kept.grant();
        if (showing.isAnother(token.node())) {
            return new Enrolment.AnotherNode(token.node());
        }
        NodeId node = token.node().orElse(showing.otherwise());
        NodeIdentity wanted = new NodeIdentity(node, token.chain(), token.type(), token.labels());
        Optional<NodeIdentity> another = nodes.enrol(wanted);
        if (another.isPresent()) {
            return new Enrolment.IdentityFixed(another.get());
        }
        end(node);
        GivenCertificate given = issued(node, issuer);
        answers.put(new Answered(token.id(), showing.publicKey()), given);
        tokens.put(
                token.id(),
                new Kept(
                        changed(token, token.uses() + 1, token.revokedAt(), token.revokedBy()),
                        kept.secret()));
        return new Enrolment.Enrolled(given);
    }

    private GivenCertificate issued(NodeId node, Issuer issuer) {
        GivenCertificate given = issuer.issue(node, generations.merge(node, 1L, Long::sum));
        certificates.put(given.serial(), given);
        givenAfter.put(given.serial(), nodes.retirements(node));
        return given;
    }

    /** How many were good until then. */
    private int end(NodeId node) {
        List<GivenCertificate> good =
                certificates.values().stream()
                        .filter(given -> given.node().equals(node))
                        .filter(given -> !isEnded(given))
                        .toList();
        good.forEach(given -> ended.add(given.serial()));
        return (int) good.stream().filter(given -> lives(given, Duration.ZERO)).count();
    }

    private boolean isEnded(GivenCertificate given) {
        boolean retiredSince =
                givenAfter.getOrDefault(given.serial(), 0) < nodes.retirements(given.node());
        return retiredSince || ended.contains(given.serial());
    }

    private boolean lives(GivenCertificate given, Duration longer) {
        return given.expiresAt().plus(longer).isAfter(clock.instant());
    }

    @Override
    public synchronized Optional<Shown> show(String serial) {
        Optional<Shown> shown = Optional.ofNullable(certificates.get(serial)).map(this::shown);
        shown.filter(it -> it.certificate().at(it.now()) instanceof Worth.Copy)
                .ifPresent(copy -> lock(copy.node().id()));
        return shown;
    }

    private void lock(NodeId node) {
        var _ = nodes.bar(node, Bar.COPIED);
        var _ = end(node);
        var _ = endJoinTokens(node, LOCKED_BY);
    }

    private Shown shown(GivenCertificate given) {
        NodeId node = given.node();
        Newest before = newest.getOrDefault(node, new Newest(0, clock.instant()));
        if (mayConnect(given) && given.generation() > before.generation()) {
            before = new Newest(given.generation(), clock.instant());
            newest.put(node, before);
        }
        return new Shown(
                nodes.identity(node),
                new ShownCertificate(
                        node,
                        given.generation(),
                        before.generation(),
                        before.since(),
                        isEnded(given),
                        nodes.isRetired(node),
                        nodes.bar(node)),
                clock.instant());
    }

    private boolean mayConnect(GivenCertificate given) {
        return !isEnded(given) && !nodes.isBarred(given.node()) && !nodes.isRetired(given.node());
    }

    @Override
    public synchronized Optional<GivenCertificate> renew(
            String serial, Digest publicKey, Issuer issuer) {
        GivenCertificate present = certificates.get(serial);
        if (present == null || !mayConnect(present) || isOld(present)) {
            return Optional.empty();
        }
        NodeId node = present.node();
        Optional<GivenCertificate> before =
                certificates.values().stream()
                        .filter(given -> given.node().equals(node))
                        .filter(given -> given.publicKey().equals(publicKey))
                        .findFirst();
        long unshown = generations.getOrDefault(node, 0L) - shownOf(node);
        return before.isPresent() || unshown >= MOST_UNSHOWN
                ? before
                : Optional.of(issued(node, issuer));
    }

    private boolean isOld(GivenCertificate given) {
        return given.generation() < shownOf(given.node());
    }

    private long shownOf(NodeId node) {
        return Optional.ofNullable(newest.get(node)).map(Newest::generation).orElse(0L);
    }

    @Override
    public synchronized Optional<Revocation> revoke(NodeId node, String by) {
        return nodes.bar(node, Bar.REVOKED)
                ? Optional.of(new Revocation(end(node), endJoinTokens(node, by)))
                : Optional.empty();
    }

    private int endJoinTokens(NodeId node, String by) {
        List<String> open =
                tokens.values().stream()
                        .map(Kept::grant)
                        .filter(token -> token.node().filter(node::equals).isPresent())
                        .filter(
                                token ->
                                        token.at(clock.instant())
                                                instanceof JoinGrant.Standing.Good)
                        .map(JoinGrant::id)
                        .toList();
        open.forEach(
                token -> {
                    var _ = revoke(token, by);
                });
        return open.size();
    }

    @Override
    public synchronized Set<Proof> ended(Collection<Proof.Token> shown) {
        Set<Proof> over = new HashSet<>();
        certificates.values().stream()
                .filter(given -> isEnded(given) && lives(given, CLOCKS_APART))
                .forEach(given -> over.add(new Proof.Certificate(given.serial())));
        shown.stream()
                .filter(token -> nodes.credential(token.sha256()).isEmpty())
                .forEach(over::add);
        return over;
    }

    @Override
    public synchronized List<NodeId> locked() {
        return nodes.barred(Bar.COPIED).stream().limit(MOST_LOCKED).toList();
    }

    private static JoinGrant changed(
            JoinGrant token, int uses, Optional<Instant> revokedAt, String revokedBy) {
        return new JoinGrant(
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
