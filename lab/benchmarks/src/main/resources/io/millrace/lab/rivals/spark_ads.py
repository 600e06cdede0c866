"""The advertisement benchmark as a query of Spark Structured Streaming.

Campaigns are joined from a table that is read from Redis at the start, and windows are written at
the end of each micro-batch that changes them. Micro-batches follow each other without a pause.

Arguments: KAFKA TOPIC REDIS_HOST REDIS_PORT SUBTASKS WINDOW_MILLIS WATERMARK_DELAY_MILLIS JARS
"""
import sys
import time
import uuid

import redis
from pyspark.sql import SparkSession
from pyspark.sql.functions import broadcast, col, from_json, timestamp_millis, window

kafka, topic, host, port, subtasks, window_millis, watermark_delay_millis, jars = sys.argv[1:9]
store = redis.Redis(host, int(port), decode_responses=True)
spark = (
    SparkSession.builder.master(f"local[{subtasks}]")
    .config("spark.jars", jars)
    .config("spark.sql.shuffle.partitions", subtasks)
    .config("spark.ui.enabled", "false")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.sql.streaming.noDataMicroBatches.enabled", "true")
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)

campaigns = store.smembers("campaigns")
ads = [key for key in store.scan_iter(count=10_000, _type="STRING")]
known = [(ad, campaign) for ad, campaign in zip(ads, store.mget(ads)) if campaign in campaigns]
campaign_of = spark.createDataFrame(known, "ad_id string, campaign string")

event = "user_id string, page_id string, ad_id string, ad_type string, event_type string, event_time string, ip_address string"
counts = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", kafka)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 500_000)
    .load()
    .select(from_json(col("value").cast("string"), event).alias("event"))
    .where("event.event_type = 'view'")
    .select("event.ad_id", timestamp_millis(col("event.event_time").cast("long")).alias("time"))
    .join(broadcast(campaign_of), "ad_id")
    .withWatermark("time", f"{watermark_delay_millis} milliseconds")
    .groupBy(window("time", f"{window_millis} milliseconds"), "campaign")
    .count()
)


def write(batch, _):
    pipeline = store.pipeline(transaction=False)
    for row in batch.collect():
        start = str(round(row.window.start.timestamp() * 1000))
        identity = store.hget(row.campaign, start)
        if identity is None:
            identity = str(uuid.uuid4())
            store.hset(row.campaign, start, identity)
            windows = store.hget(row.campaign, "windows")
            if windows is None:
                windows = str(uuid.uuid4())
                store.hset(row.campaign, "windows", windows)
            store.lpush(windows, start)
        pipeline.hset(identity, mapping={"seen_count": row["count"], "time_updated": round(time.time() * 1000)})
    pipeline.execute()


counts.writeStream.outputMode("update").foreachBatch(write).start().awaitTermination()
