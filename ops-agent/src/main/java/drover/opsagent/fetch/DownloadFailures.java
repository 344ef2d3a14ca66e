package drover.opsagent.fetch;

import drover.model.Digest;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.time.Deadline;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;

/** What is said of a download that failed; never with what an address may hold of secrets (H14). */
final class DownloadFailures {
    private DownloadFailures() {}

    static FetchFailed truncated(Artifact artifact) {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_TRUNCATED,
                describe(artifact) + " broke off again and again: look at its server, then retry.");
    }

    static FetchFailed unreachable(Artifact artifact, IOException e) {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_FAILED,
                describe(artifact)
                        + " cannot be had ("
                        + e.getMessage()
                        + "): look at its server.");
    }

    static FetchFailed notFound(Artifact artifact) {
        return notFound(describe(artifact));
    }

    static FetchFailed notFound(HttpURLConnection http) {
        return notFound(describe(http.getURL().toString()));
    }

    private static FetchFailed notFound(String address) {
        return new FetchFailed(
                ReasonCode.ARTIFACT_NOT_FOUND,
                "Nothing is at " + address + ": correct the manifest's target_url.");
    }

    /** Not tried again: some hosts lock out who shows a wrong credential often. */
    static FetchFailed unauthorized(HttpURLConnection http, int status) {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_FAILED,
                describe(http.getURL().toString())
                        + " does not admit this node (status "
                        + status
                        + "): look at what the node's --artifact-hosts names for it.");
    }

    static FetchFailed noAddress() {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_FAILED,
                "The artifact's url, or where its server leads, is no address: correct it.");
    }

    static FetchFailed endlessRedirects(URI from) {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_FAILED,
                AddressRedactor.redact(from) + " redirects without end: correct the url.");
    }

    static FetchFailed mismatch(Artifact artifact, Digest digest) {
        return new FetchFailed(
                ReasonCode.CHECKSUM_MISMATCH,
                describe(artifact)
                        + " is "
                        + digest.shortHex()
                        + ", not "
                        + artifact.digest().shortHex()
                        + ": correct the manifest or the file.");
    }

    /** The server's fault while there is time left, else the whole took too long. */
    static FetchFailed slowOrTimedOut(Deadline deadline) {
        return deadline.hasPassed() ? timedOut() : tooSlow();
    }

    static FetchFailed tooSlow() {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_TOO_SLOW,
                "The artifact comes below the floor rate: look at its server, then retry.");
    }

    static FetchFailed timedOut() {
        return new FetchFailed(
                ReasonCode.ACTION_TIMED_OUT,
                "The artifact did not come in time: look at its server, then retry.");
    }

    private static String describe(Artifact artifact) {
        return describe(artifact.url());
    }

    private static String describe(String url) {
        try {
            return AddressRedactor.redact(URI.create(url));
        } catch (IllegalArgumentException _) {
            return "The artifact's url";
        }
    }
}
