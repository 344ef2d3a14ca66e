package drover.opsagent.fetch;

import drover.model.Digest;
import drover.model.program.DownloadAddress;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;

/** Reasons and sentences of failed downloads; without the secrets an address may hold (H14). */
final class DownloadFailureFactory {
    private DownloadFailureFactory() {}

    static FetchFailed truncated(Artifact artifact) {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_TRUNCATED,
                "The download of " + redactedUrl(artifact) + " broke off: check its server.");
    }

    static FetchFailed unavailable(Artifact artifact, ServerUnavailable e) {
        return unreachable(artifact, e.reason(), e);
    }

    static FetchFailed unreachable(Artifact artifact, IOException e) {
        return unreachable(artifact, ReasonCode.DOWNLOAD_FAILED, e);
    }

    private static FetchFailed unreachable(Artifact artifact, ReasonCode reason, IOException e) {
        return new FetchFailed(
                reason,
                redactedUrl(artifact)
                        + " cannot be downloaded ("
                        + DownloadAddress.redactAll(String.valueOf(e.getMessage()))
                        + "): check its server.");
    }

    static FetchFailed notFound(Artifact artifact) {
        return notFound(redactedUrl(artifact));
    }

    static FetchFailed notFound(HttpURLConnection http) {
        return notFound(redactedUrl(http));
    }

    private static FetchFailed notFound(String address) {
        return new FetchFailed(
                ReasonCode.ARTIFACT_NOT_FOUND,
                "Nothing is at " + address + ": correct the artifact's url.");
    }

    /** Not tried again: some hosts lock out a client that sends a wrong credential often. */
    static FetchFailed unauthorized(HttpURLConnection http, int status) {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_FAILED,
                redactedUrl(http)
                        + " does not admit this node (status "
                        + status
                        + "): check what the node's --artifact-hosts names for it.");
    }

    /** A status that the same request would receive again. */
    static FetchFailed rejected(HttpURLConnection http, int status) {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_FAILED,
                redactedUrl(http)
                        + " rejected the request (status "
                        + status
                        + "): correct the manifest's target_url, or its server.");
    }

    /** The sentence of the parser of addresses. */
    static FetchFailed malformedAddress(IllegalArgumentException e) {
        return new FetchFailed(ReasonCode.DOWNLOAD_REFUSED, String.valueOf(e.getMessage()));
    }

    static FetchFailed malformedRedirect(URI from) {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_FAILED,
                redactedUrl(from)
                        + " redirects to a text that is not an address: correct the redirect at"
                        + " its server.");
    }

    static FetchFailed endlessRedirects(URI from) {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_FAILED,
                redactedUrl(from) + " redirects without end: correct the redirect at its server.");
    }

    /**
     * Another digest or size than the artifact's.
     *
     * @param coding content coding that the server named; empty for none
     */
    static FetchFailed mismatch(Artifact artifact, Digest digest, String coding) {
        return new FetchFailed(
                ReasonCode.CHECKSUM_MISMATCH,
                redactedUrl(artifact)
                        + " is "
                        + digest.shortHex()
                        + ", not "
                        + artifact.digest().shortHex()
                        + (coding.isEmpty()
                                ? ": correct the manifest or the file."
                                : "; its server sent it with Content-Encoding: "
                                        + coding
                                        + ", which was not requested: turn that off at the server,"
                                        + " or correct the manifest or the file."));
    }

    static FetchFailed tooSlow(Artifact artifact) {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_TOO_SLOW,
                "The download of "
                        + redactedUrl(artifact)
                        + " is below the minimum rate: check its server.");
    }

    static FetchFailed timedOut(Artifact artifact) {
        return new FetchFailed(
                ReasonCode.ACTION_TIMED_OUT,
                "The download of "
                        + redactedUrl(artifact)
                        + " did not end in time: check its server.");
    }

    static String redactedUrl(URI address) {
        return DownloadAddress.redact(address.toString());
    }

    private static String redactedUrl(HttpURLConnection http) {
        return DownloadAddress.redact(http.getURL().toString());
    }

    private static String redactedUrl(Artifact artifact) {
        return DownloadAddress.redact(artifact.url());
    }
}
