package io.millrace.lab.nexmark;

import io.millrace.wire.block.TableSchema;

/** The tables of the auction house: the columns of the public benchmark with SQL names. */
final class Nexmark {
  static final TableSchema PERSON =
      TableSchema.builder()
          .number("id")
          .text("name")
          .text("email_address")
          .text("credit_card")
          .text("city")
          .text("state")
          .time("date_time")
          .text("extra")
          .build();

  static final TableSchema AUCTION =
      TableSchema.builder()
          .number("id")
          .text("item_name")
          .text("description")
          .number("initial_bid")
          .number("reserve")
          .time("date_time")
          .time("expires")
          .number("seller")
          .number("category")
          .text("extra")
          .build();

  static final TableSchema BID =
      TableSchema.builder()
          .number("auction")
          .number("bidder")
          .number("price")
          .text("channel")
          .text("url")
          .time("date_time")
          .text("extra")
          .build();

  static final int BID_AUCTION = 0;
  static final int BID_BIDDER = 1;
  static final int BID_PRICE = 2;
  static final int BID_CHANNEL = 3;
  static final int BID_URL = 4;
  static final int BID_TIME = 5;
  static final int BID_EXTRA = 6;

  private Nexmark() {}
}
