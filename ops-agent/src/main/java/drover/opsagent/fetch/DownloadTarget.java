package drover.opsagent.fetch;

import java.io.InputStream;

/** Destination of a download. It may hold bytes of an earlier, unfinished download. */
public interface DownloadTarget {
    /** Reports the total size, if the server states it in advance. */
    default void expectSize(long size) {}

    /** Entity tag of the bytes that are here; empty if they cannot be continued. */
    default String entityTag() {
        return "";
    }

    /** The bytes that are here; the caller closes the stream. */
    default InputStream openExisting() {
        return InputStream.nullInputStream();
    }

    /** Appends bytes. */
    void write(byte[] bytes, int offset, int length);

    /** Removes all bytes; those that follow are of the object with this entity tag. */
    void restart(String entityTag);

    /** Makes the content durable. */
    void sync();
}
