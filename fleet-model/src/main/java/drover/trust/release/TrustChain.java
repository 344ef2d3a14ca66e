package drover.trust.release;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The roots of trust, oldest first, as one file carries them. Each is signed by enough of its own
 * keys and enough of those of the one before, so that a node which missed some rotations still
 * follows all of them.
 */
public final class TrustChain {
    /** Bytes of the file. */
    public static final int LARGEST = 1 << 20;

    private static final int MOST_ROOTS = 64; // one rotation a quarter for 16 years

    private final List<Envelope> roots;

    private TrustChain(List<Envelope> roots) {
        this.roots = List.copyOf(roots);
    }

    /** A first root, signed or not. */
    public static TrustChain of(Envelope first) {
        return new TrustChain(List.of(first));
    }

    /**
     * Reads the file. Nothing of it is believed yet.
     *
     * @throws NotTrusted as {@link RejectionReason#MALFORMED}
     */
    public static TrustChain parseUnverified(byte[] bytes) {
        if (bytes.length > LARGEST) {
            throw NotTrusted.malformed("The roots of trust are larger than " + LARGEST + " bytes.");
        }
        JsonObjectReader fields = JsonObjectReader.of("The file", JsonReader.read(bytes));
        List<Envelope> roots = fields.readList("roots", MOST_ROOTS, Envelope::of);
        fields.requireAllRead();
        if (roots.isEmpty()) {
            throw NotTrusted.malformed("There is no root of trust in the file.");
        }
        for (Envelope root : roots) {
            if (root.bytes().length > Root.LARGEST) {
                throw NotTrusted.malformed("A root is larger than " + Root.LARGEST + " bytes.");
            }
        }
        return new TrustChain(roots);
    }

    /** The file. */
    public byte[] bytes() {
        Map<String, Json> members = new LinkedHashMap<>();
        members.put("roots", new Json.JsonArray(roots.stream().map(Envelope::json).toList()));
        return JsonWriter.write(new Json.JsonObject(members));
    }

    /** With one more root behind the others. */
    public TrustChain withNextRoot(Envelope next) {
        List<Envelope> all = new ArrayList<>(roots);
        all.add(next);
        if (all.size() > MOST_ROOTS) {
            all.removeFirst(); // nodes that are further behind are pinned anew
        }
        return new TrustChain(all);
    }

    /** The last root, signed by one more. */
    public TrustChain withLastRootSigned(SigningKey key) {
        List<Envelope> all = new ArrayList<>(roots);
        all.set(all.size() - 1, all.getLast().withSignature(key));
        return new TrustChain(all);
    }

    /** The last root as it is written, whether enough have signed it or not. */
    public Root unverifiedLast() {
        return parseRoot(roots.getLast());
    }

    /** The last envelope. */
    public Envelope lastEnvelope() {
        return roots.getLast();
    }

    /**
     * Follows the file from its own first root: for who takes the file itself on trust.
     *
     * @throws NotTrusted when a root in it is not signed as it must be
     */
    public Envelope verify() {
        Envelope first = roots.getFirst();
        Root root = parseRoot(first);
        root.roots().requireSignatures(displayName(root), first, root.keys());
        return followFrom(first);
    }

    /**
     * Follows the file from a root that was believed before. An older file, and another root of the
     * same version, are refused.
     *
     * @param pinned root that the node believes
     * @return the root to believe from now on
     */
    public Envelope verifyFrom(Envelope pinned) {
        Root before = parseRoot(pinned);
        Root newest = parseRoot(roots.getLast());
        if (newest.version() < before.version()) {
            throw new NotTrusted(
                    RejectionReason.ROLLBACK,
                    "The file ends with root "
                            + newest.version()
                            + ", but this node has seen "
                            + before.version()
                            + ": bring the newer file (rollback).");
        }
        return followFrom(pinned);
    }

    private Envelope followFrom(Envelope pinned) {
        Envelope trusted = pinned;
        for (Envelope next : roots) {
            Root before = parseRoot(trusted);
            Root root = parseRoot(next);
            if (root.version() == before.version() && !next.hasSamePayload(trusted)) {
                throw new NotTrusted(
                        RejectionReason.MIX_AND_MATCH,
                        "There are two roots of version "
                                + root.version()
                                + ": somebody signs beside the others, find out who.");
            }
            if (root.version() > before.version()) {
                requireNext(before, root, next);
                trusted = next;
            }
        }
        return trusted;
    }

    private static void requireNext(Root before, Root root, Envelope envelope) {
        if (root.version() != before.version() + 1) {
            throw new NotTrusted(
                    RejectionReason.ROLLBACK,
                    "Root "
                            + (before.version() + 1)
                            + " is missing before "
                            + root.version()
                            + ": bring a file that has all of them.");
        }
        before.roots()
                .requireSignatures(
                        displayName(root) + " for the keys before it", envelope, before.keys());
        root.roots().requireSignatures(displayName(root), envelope, root.keys());
    }

    private static String displayName(Root root) {
        return "Root " + root.version();
    }

    /** What an envelope says of a root; refused when it is of another kind. */
    public static Root parseRoot(Envelope envelope) {
        if (!envelope.type().equals(Envelope.ROOT)) {
            throw new NotTrusted(
                    RejectionReason.WRONG_TYPE,
                    "The envelope holds no root of trust but "
                            + envelope.type()
                            + ": take the right file (cross-use).");
        }
        return Root.parse(envelope.payload());
    }
}
